#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include <plimsoll/collectives/internal/frame_names.hpp>
#include <plimsoll/collectives/internal/recorder.hpp>
#include <plimsoll/support/contract.hpp>

#include "collectives/recording/call_stream.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

using namespace rank_log;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

/// Converts ranks to the runs of a CommunicatorRecord: first and last rank of each run.
std::vector<std::uint32_t> runs_of(const std::vector<std::uint32_t>& ranks) {
  NumberList list;
  for (const std::uint32_t rank : ranks) list.push_back(rank);
  std::vector<std::uint32_t> runs;
  for (const NumberList::Run& run : list.runs()) {
    runs.push_back(static_cast<std::uint32_t>(run.first));
    runs.push_back(static_cast<std::uint32_t>(run.last));
  }
  return runs;
}

std::string path_of_log(const RecorderOptions& options, const RankIdentity& identity) {
  return fmt::format("{}/plimsoll-{:x}.rank{}.log", options.folder, identity.run_id, identity.world_rank);
}

/// Entries of one kind, in records with room for more of them. Each record is larger than the one before.
template <Kind kind, class Entry>
class GrowingRecord {
 public:
  using Words = std::array<std::uint64_t, sizeof(Entry) / sizeof(std::uint64_t)>;

  /// Appends an entry, given as words without check bits: storing its fields and loading the words again
  /// would take longer than all the rest.
  void append(const Words& words, MappedLog& log) {
    auto* record = log.find<EntriesRecord>(position_);
    if (!record || used_ == record->capacity) {
      position_ =
          log.append(kind, EntriesRecord{.capacity = next_capacity_}, {}, next_capacity_ * sizeof(Entry));
      record = log.find<EntriesRecord>(position_);
      if (!record) return;
      next_capacity_ = std::min(2 * next_capacity_, 1024U);
      used_ = 0;
    }
    auto* const place = reinterpret_cast<std::uint64_t*>(space_of<Entry>(record) + used_++);
    std::copy(words.begin() + 1, words.end(), place + 1);
    publish(*place, words[0] | entry_head(0, 0, 0, check_of_entry(words)));
  }

 private:
  MappedLog::Position position_ = MappedLog::nowhere;
  std::uint32_t used_ = 0;
  std::uint32_t next_capacity_ = 16;
};

struct Calls {
  Calls(std::uint32_t communicator, Operation which)
      : operation(which),
        streams{CallStream(communicator, which, Subject::counts),
                CallStream(communicator, which, Subject::displacements),
                CallStream(communicator, which, Subject::backtrace)} {}

  Operation operation;
  std::uint64_t begun = 0;
  std::array<CallStream, 3> streams;  // one stream per Subject
};

}  // namespace

struct Recorder::State {
  State(const RecorderOptions& given, const RankIdentity& identity)
      : log(path_of_log(given, identity)), options(given), known_rows(given.memory_bytes), streams{log} {
    log.append(Kind::rank,
               RankRecord{.magic = magic,
                          .run_id = identity.run_id,
                          .job = identity.job,
                          .world_rank = identity.world_rank,
                          .world_size = identity.world_size,
                          .pid = identity.pid,
                          .host_bytes = static_cast<std::uint32_t>(identity.host.size()),
                          .program_bytes = static_cast<std::uint32_t>(identity.program.size())},
               {bytes_of(identity.host), bytes_of(identity.program)});
  }

  bool record(const Call& call, Subject subject, const Row& row) {
    if (!log.can_grow()) return false;
    const GivenRow given(subject, row);
    known_rows.make_room_for(given);
    CallStream& stream =
        calls_of(call.communicator, call.operation).streams[static_cast<std::size_t>(subject)];
    const KnownRow* known = stream.expected(known_rows.generation(), streams);
    if (!known || !known->equals(given)) known = known_or_new(given);
    return known && stream.append(*known, call.index, call.id, streams);
  }

  Calls& calls_of(std::uint32_t communicator, Operation operation) {
    PLIMSOLL_EXPECT(communicator < communicators.size());
    std::vector<Calls>& all = communicators[communicator];
    for (Calls& calls : all)
      if (calls.operation == operation) return calls;
    return all.emplace_back(communicator, operation);
  }

  bool is_chosen(std::uint64_t index) const {
    if (index < options.first) return false;
    const std::uint64_t since_first = index - options.first;
    if (options.sample <= 1) return since_first < options.limit;
    return since_first % options.sample == 0 && since_first / options.sample < options.limit;
  }

  const KnownRow* known_or_new(const GivenRow& row) {
    const std::uint64_t hash = KnownRows::hash(row);
    if (const KnownRow* known = known_rows.find(row, hash)) return known;
    const bool is_backtrace = row.subject == Subject::backtrace;
    const MappedLog::Position position = is_backtrace ? append_backtrace(row) : append_row(row);
    if (position == MappedLog::nowhere) return nullptr;
    return &known_rows.add(row, hash, rows[is_backtrace]++);
  }

  MappedLog::Position append_row(const GivenRow& row) {
    RowRecord record = row.record;
    record.row = rows[0];
    return log.append(Kind::row, record, {row.send, row.recv});
  }

  MappedLog::Position append_backtrace(const GivenRow& row) {
    std::vector<Frame> frames;
    for (std::size_t k = 0; k < row.record.send_count; ++k) {
      void* address = nullptr;
      std::memcpy(&address, &row.send[k * sizeof(address)], sizeof(address));
      frames.push_back(frame_of(address));
    }
    return log.append(
        Kind::backtrace,
        BacktraceRecord{.backtrace = rows[1], .frames = static_cast<std::uint32_t>(frames.size())},
        {std::as_bytes(std::span(frames))});
  }

  Frame frame_of(void* address) {
    const CodeAddress code =
        module_of(address).value_or(CodeAddress{.offset = reinterpret_cast<std::uint64_t>(address)});
    return {.module = number_of_module(code.module_path), .offset = code.offset};
  }

  std::uint32_t number_of_module(const std::string& path) {
    const auto [found, is_new] = modules.try_emplace(path, static_cast<std::uint32_t>(modules.size()));
    if (is_new)
      log.append(Kind::module,
                 ModuleRecord{.module = found->second, .path_bytes = static_cast<std::uint32_t>(path.size())},
                 {bytes_of(path)});
    return found->second;
  }

  MappedLog log;
  std::uint64_t recorded_calls = 0;
  RecorderOptions options;
  std::vector<std::vector<Calls>> communicators;  // each communicator has few operations
  std::array<std::uint64_t, Operation::count> begun{};
  KnownRows known_rows;
  std::array<std::uint32_t, 3> rows{};  // next numbers of rows (at 0) and backtraces (at 1)
  std::unordered_map<std::string, std::uint32_t> modules;
  StreamResources streams;
  MappedLog::Position failed = MappedLog::nowhere;
  std::uint64_t failed_calls = 0;  // number of calls in that record
  GrowingRecord<Kind::times, CallTime> times;
  GrowingRecord<Kind::hashes, CallHash> hashes;
};

std::uint32_t Recorder::add_communicator(const CommunicatorDescription& communicator) {
  const auto number = static_cast<std::uint32_t>(state_->communicators.size());
  state_->communicators.emplace_back();
  const std::vector<std::uint32_t> members = runs_of(communicator.members);
  const std::vector<std::uint32_t> remote = runs_of(communicator.remote_members);
  state_->log.append(
      Kind::communicator,
      CommunicatorRecord{.number = number,
                         .comm_rank = communicator.comm_rank,
                         .comm_size = static_cast<std::uint32_t>(communicator.members.size()),
                         .remote_size = static_cast<std::uint32_t>(communicator.remote_members.size()),
                         .member_runs = static_cast<std::uint32_t>(members.size() / 2),
                         .remote_runs = static_cast<std::uint32_t>(remote.size() / 2),
                         .order = communicator.order},
      {std::as_bytes(std::span(members)), std::as_bytes(std::span(remote))});
  return number;
}

void Recorder::set_neighbors(std::uint32_t communicator, std::span<const int> sources,
                             std::span<const int> destinations) {
  state_->log.append(Kind::neighbors,
                     NeighborsRecord{.communicator = communicator,
                                     .sources = static_cast<std::uint32_t>(sources.size()),
                                     .destinations = static_cast<std::uint32_t>(destinations.size())},
                     {std::as_bytes(sources), std::as_bytes(destinations)});
}

void Recorder::communicator_freed(std::uint32_t communicator) {
  PLIMSOLL_EXPECT(communicator < state_->communicators.size());
  state_->communicators[communicator].shrink_to_fit();
  for (Calls& calls : state_->communicators[communicator])
    for (CallStream& stream : calls.streams) stream.free_memory(state_->streams);
}

Recorder::Call Recorder::begin_call(std::uint32_t communicator, Operation operation) {
  const std::uint64_t id = state_->begun[operation.index()]++;
  if (communicator == no_communicator)
    return {.communicator = communicator, .operation = operation, .id = id};
  const std::uint64_t index = state_->calls_of(communicator, operation).begun++;
  return {communicator, operation, index, id, state_->is_chosen(index) && state_->log.can_grow()};
}

void Recorder::record_failure(const Call& call, bool refused) {
  if (refused && call.communicator != no_communicator) {
    std::uint64_t& begun = state_->calls_of(call.communicator, call.operation).begun;
    begun = std::min(begun, call.index);
  }
  if (call.recorded && state_->recorded_calls > 0) --state_->recorded_calls;
  const auto operation = static_cast<std::uint8_t>(call.operation.index());
  auto* last = state_->log.find<FailureRun>(state_->failed);
  std::uint64_t& calls = state_->failed_calls;
  if (!last || last->communicator != call.communicator || last->operation != operation ||
      last->refused != (refused ? 1 : 0) || call.id != last->first_id + calls ||
      call.index != last->first_index + (refused ? 0 : calls)) {
    calls = 0;
    state_->failed = state_->log.append(Kind::failed,
                                        FailureRun{.communicator = call.communicator,
                                                   .operation = operation,
                                                   .refused = static_cast<std::uint8_t>(refused ? 1 : 0),
                                                   .first_index = call.index,
                                                   .first_id = call.id},
                                        {}, sizeof(std::uint64_t));
    last = state_->log.find<FailureRun>(state_->failed);
  }
  if (last) publish(*space_of<std::uint64_t>(last), checked(++calls));
}

void Recorder::record_time(const Call& call, std::uint64_t begin_ns, std::uint64_t duration_ns) {
  const auto operation = static_cast<std::uint8_t>(call.operation.index());
  state_->times.append({entry_head(call.communicator, operation, 0, 0), call.index, begin_ns, duration_ns},
                       state_->log);
}

void Recorder::record_hash(const Call& call, Direction direction, std::uint64_t hash) {
  PLIMSOLL_EXPECT(hash != 0);
  const auto operation = static_cast<std::uint8_t>(call.operation.index());
  const std::uint8_t received = direction == Direction::recv ? 1 : 0;
  state_->hashes.append({entry_head(call.communicator, operation, received, 0), call.index, hash},
                        state_->log);
}

void Recorder::finish(bool finalized) {
  if (!state_->log.is_ours()) return;
  state_->log.append(Kind::finished, FinishedRecord{.finalized = finalized, .operations = Operation::count},
                     {std::as_bytes(std::span(state_->begun))});
  state_->log.finish();
}

Recorder::Recorder(const RecorderOptions& options, const RankIdentity& identity)
    : state_(std::make_unique<State>(options, identity)) {
  if (!error().empty()) throw support::Error(support::ErrorKind::system, {.what = error(), .file = path()});
}

Recorder::~Recorder() = default;

void Recorder::record_counts(const Call& call, const Row& row) {
  if (state_->record(call, Subject::counts, row)) ++state_->recorded_calls;
}

void Recorder::record_displacements(const Call& call, const Row& row) {
  state_->record(call, Subject::displacements, row);
}

void Recorder::record_backtrace(const Call& call, std::span<void* const> frames) {
  static_assert(sizeof(void*) == sizeof(std::int64_t));
  Row row;
  row.send = IntegerSpan(reinterpret_cast<const std::int64_t*>(frames.data()), frames.size());
  state_->record(call, Subject::backtrace, row);
}

void Recorder::record_clock(std::int64_t local_ns, std::int64_t offset_ns, std::int64_t error_ns,
                            std::int64_t origin_ns) {
  state_->log.append(
      Kind::clock,
      ClockRecord{
          .local_ns = local_ns, .offset_ns = offset_ns, .error_ns = error_ns, .origin_ns = origin_ns});
}

void Recorder::release() {
  state_->log.release();
}

void Recorder::leave_to_parent() {
  state_->log.abandon();
}

const std::string& Recorder::path() const {
  return state_->log.path();
}

std::uint64_t Recorder::log_bytes() const {
  return state_->log.bytes();
}

std::uint64_t Recorder::recorded_calls() const {
  return state_->recorded_calls;
}

const std::string& Recorder::error() const {
  return state_->log.error();
}

}  // namespace plimsoll::collectives
