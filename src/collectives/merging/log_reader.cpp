#include "collectives/merging/log_reader.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <fstream>

#include "collectives/merging/log_records.hpp"
#include "collectives/merging/log_sequences.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

using namespace rank_log;

/// Returns how many numbers a side of a row has.
std::uint64_t numbers_of(Operation operation, const LogCommunicator& communicator, Content content,
                         Direction direction) {
  if (operation.has_one_count(direction)) return content == Content::counts ? 1 : 0;
  if (operation.neighborhood)
    return (direction == Direction::send ? communicator.destinations : communicator.sources).size();
  return communicator.remote_size > 0 ? communicator.remote_size : communicator.comm_size;
}

/// First and last rank of a run of ranks.
struct NumberRun {
  std::uint32_t first;
  std::uint32_t last;
};

class LogReader : LogRecords {
 public:
  LogReader(RankLog& log, std::uint64_t max_steps_to_follow)
      : LogRecords(log.content), log_(log), steps_to_follow_(max_steps_to_follow) {}

  /// Reads the log. Throws Error (bad_input) at the first damaged record.
  void read() {
    read_rank();
    while (next_record() && !finished_) read_record();
  }

  /// Reads the times and hashes, which may refer to later records. Throws the same Errors as read().
  void read_growing_records() {
    for (const std::uint64_t offset : growing_offsets_) read_growing_record(offset);
  }

  /// Checks the sequences of calls (check_sequences()). Throws the same Errors as read().
  void read_sequences() { check_sequences(log_, steps_to_follow_); }

  void sort_entries() {
    const auto sort_by_index = [](auto& calls, auto index) {
      if (!std::ranges::is_sorted(calls, {}, index)) std::ranges::stable_sort(calls, {}, index);
    };
    for (auto& [key, times] : log_.times) sort_by_index(times, &LogTime::index);
    for (auto& [key, hashes] : log_.hashes) sort_by_index(hashes, &CallHash::index);
  }

 private:
  /// Position of a stream.
  struct StreamPlace {
    CallsKey key;
    std::size_t position;  // in RankLog::calls
  };

  void read_rank() {
    const auto rank = read_log_header(bytes_);
    if (!rank) {
      const bool foreign = bytes_.size() >= sizeof(RankRecord) &&
                           load_record<RankRecord>(bytes_, 0).magic == __builtin_bswap64(rank_log::magic);
      throw support::bad_input(foreign ? "the log was written with the opposite byte order"
                                       : "invalid rank log: missing first record",
                               log_.content.name,
                               foreign ? "use a machine with the byte order of the run to merge the log"
                                       : "remove the file if the profiler did not write it");
    }
    if (rank->magic != rank_log::magic)
      throw support::bad_input(fmt::format("the rank log has format version {}: expected version {}",
                                           version_of(rank->magic), version_of(rank_log::magic)),
                               log_.content.name, "use the version of Plimsoll that recorded the log");
    header_ = rank->header;
    check_record();
    const auto names = tail<RankRecord, char>(std::uint64_t{rank->host_bytes} + rank->program_bytes);
    require(rank->world_rank < rank->world_size, "invalid rank: must be below the number of ranks");
    log_.run_id = rank->run_id;
    log_.job = rank->job;
    log_.world_rank = rank->world_rank;
    log_.world_size = rank->world_size;
    log_.pid = rank->pid;
    log_.host.assign(names.begin(), names.begin() + rank->host_bytes);
    log_.program.assign(names.begin() + rank->host_bytes, names.end());
  }

  void read_record() {
    switch (header_.kind) {
      case Kind::communicator: return read_communicator();
      case Kind::neighbors: return read_neighbors();
      case Kind::row: return read_row();
      case Kind::stream: return read_stream();
      case Kind::step: return read_step();
      case Kind::words: return read_words();
      case Kind::packed: return read_packed();
      case Kind::times:
      case Kind::hashes: return growing_offsets_.push_back(position_);
      case Kind::backtrace: return read_backtrace();
      case Kind::module: return read_module();
      case Kind::clock: return log_.clocks.push_back(record<ClockRecord>());
      case Kind::finished: return read_finished();
      case Kind::failed: return read_failed();
      case Kind::end:
      case Kind::rank: break;
    }
    fail(fmt::format("unknown record kind {}", static_cast<std::uint32_t>(header_.kind)));
  }

  NumberList ranks(std::span<const NumberRun> runs, std::uint32_t size) const {
    NumberList list;
    for (const auto& [first, last] : runs) {
      require(first <= last && last < log_.world_size, "invalid ranks in a communicator");
      list.append({first, last});
    }
    require(list.size() == size, "the number of members of a communicator does not match its size");
    return list;
  }

  void read_communicator() {
    const auto read = record<CommunicatorRecord>();
    const auto runs = tail<CommunicatorRecord, NumberRun>(std::uint64_t{read.member_runs} + read.remote_runs);
    require(read.number == log_.communicators.size(), "communicator out of order");
    LogCommunicator communicator{read};
    communicator.members = ranks(std::span(runs).first(read.member_runs), read.comm_size);
    communicator.remote_members = ranks(std::span(runs).subspan(read.member_runs), read.remote_size);
    require(read.comm_rank < read.comm_size && communicator.members[read.comm_rank] == log_.world_rank,
            "invalid position of this rank in a communicator");
    log_.communicators.push_back(std::move(communicator));
  }

  void read_neighbors() {
    const auto read = record<NeighborsRecord>();
    const auto list = tail<NeighborsRecord, std::uint32_t>(std::uint64_t{read.sources} + read.destinations);
    LogCommunicator& communicator = communicator_of(read.communicator);
    require(!communicator.has_neighbors && communicator.remote_size == 0,
            "unexpected neighbours: the communicator already has neighbours, or cannot have any");
    require(std::ranges::all_of(list, [&](std::uint32_t rank) { return rank < communicator.comm_size; }),
            "neighbour is not in the communicator");
    communicator.sources.assign(list.begin(), list.begin() + read.sources);
    communicator.destinations.assign(list.begin() + read.sources, list.end());
    communicator.has_neighbors = true;
  }

  LogCommunicator& communicator_of(std::uint32_t number) {
    require(number < log_.communicators.size(), "unknown communicator");
    return log_.communicators[number];
  }

  void read_row() {
    const auto read = record<RowRecord>();
    require(read.content <= Content::displacements && read.wide <= 1, "row with unknown kind of numbers");
    const std::uint64_t room = (content_bytes(header_) - sizeof(RowRecord)) / (read.wide ? 8 : 4);
    require(read.send_count <= room && read.recv_count <= room - read.send_count,
            "row too short for its numbers");
    require(log_.rows.empty() || log_.rows.back().number < read.row, "row out of order");
    LogRow row{.number = read.row,
               .content = read.content,
               .wide = read.wide == 1,
               .send = {.type_size = read.send_type_size,
                        .offset = position_ + sizeof(RowRecord),
                        .count = read.send_count},
               .recv = {.type_size = read.recv_type_size, .count = read.recv_count}};
    row.recv.offset = row.send.offset + row.send.count * (row.wide ? 8 : 4);
    for (LogRow::Side* side : {&row.send, &row.recv}) set_digest(row, *side);
    const std::uint64_t parts[] = {row.send.digest.low,  row.send.digest.high, row.recv.digest.low,
                                   row.recv.digest.high, row.send.type_size,   row.recv.type_size};
    row.digest = digest_of<std::uint64_t>(parts);
    log_.rows.push_back(row);
  }

  void set_digest(LogRow& row, LogRow::Side& side) {
    numbers_.resize(side.count);
    for (std::uint64_t k = 0; k < side.count; ++k) {
      numbers_[k] = log_.number(row, side, k);
      row.negative |= numbers_[k] < 0;
    }
    side.digest = digest_of<std::int64_t>(numbers_);
  }

  std::uint32_t row_of(std::uint32_t number, const CallsKey& calls) {
    const Operation operation = Operation::at(calls.operation);
    const LogCommunicator& communicator = communicator_of(calls.communicator);
    const auto row = std::ranges::lower_bound(log_.rows, number, {}, &LogRow::number);
    require(row != log_.rows.end() && row->number == number, "calls refer to a missing row");
    const Content content = calls.subject == Subject::counts ? Content::counts : Content::displacements;
    require(row->content == content, "the size of a row does not match its calls");
    for (const Direction direction : {Direction::send, Direction::recv})
      require(row->side(direction).count == numbers_of(operation, communicator, content, direction),
              "the size of a row does not match its calls");
    return static_cast<std::uint32_t>(row - log_.rows.begin());
  }

  void read_stream() {
    const auto read = record<StreamRecord>();
    require(read.operation < Operation::count && read.subject <= Subject::backtrace,
            "unknown operation in the calls");
    require(read.stream == streams_.size(), "stream out of order");
    const LogCommunicator& communicator = communicator_of(read.communicator);
    require(!Operation::at(read.operation).neighborhood || communicator.has_neighbors ||
                read.subject == Subject::backtrace,
            "neighbourhood calls on a communicator without neighbours");
    const CallsKey key = {read.communicator, read.operation, read.subject};
    CallRuns& calls = log_.calls[key];
    calls.are_counts = read.subject == Subject::counts;
    streams_.push_back({key, calls.streams.size()});
    calls.streams.push_back({.origin_index = read.origin_index, .origin_id = read.origin_id});
  }

  LogStream& stream_of(std::uint32_t number) {
    require(number < streams_.size(), "unknown stream of calls");
    return log_.calls[streams_[number].key].streams[streams_[number].position];
  }

  void read_step() {
    const auto read = record<StepRecord>();
    LogStream& stream = stream_of(read.stream);
    require(read.step == stream.steps.size(), "step out of order");
    LogStream::Step step = {.index_step = read.index_step, .id_step = read.id_step};
    if (const CallsKey& key = streams_[read.stream].key; key.subject == Subject::backtrace) {
      require(read.item < log_.backtraces.size(), "calls refer to a missing backtrace");
      step.item = read.item;
    } else {
      step.item = row_of(read.item, key);
    }
    stream.steps.push_back(step);
  }

  void read_words() {
    const auto read = record<WordsRecord>();
    LogStream& stream = stream_of(read.stream);
    const auto words = space<WordsRecord, std::uint64_t>(std::uint64_t{read.capacity} + 1);
    if (words[0] == 0) return;
    const auto salt = unchecked(words[0]);
    require(salt.has_value(), "checksum mismatch in the calls");
    LogStream::Part part = {.begin = *salt - 1, .words = 0};
    part.offset = position_ + sizeof(WordsRecord) + 2 * sizeof(std::uint64_t);
    while (part.words < read.capacity && unchecked(words[part.words + 1], *salt)) ++part.words;
    part.unused = read.capacity - part.words;
    stream.parts.push_back(part);
  }

  void read_packed() {
    const auto read = record<PackedRecord>();
    LogStream& stream = stream_of(read.stream);
    require(read.packed_bytes <= content_bytes(header_) - sizeof(PackedRecord) && read.packed_bytes > 0 &&
                read.words > 0 && read.words <= max_words,
            "compressed calls too short for their contents");
    stream.parts.push_back({.begin = read.begin,
                            .words = read.words,
                            .offset = position_ + sizeof(PackedRecord),
                            .packed_bytes = read.packed_bytes});
  }

  static bool fits(std::uint64_t first, std::uint64_t step, std::uint64_t count) {
    return first <= max_call && step > 0 && count - 1 <= (max_call - first) / step;
  }

  void read_failed() {
    LogFailure read = {record<FailureRun>()};
    require(read.operation < Operation::count &&
                (read.communicator < log_.communicators.size() || read.communicator == no_communicator),
            "unknown operation or communicator in the failed calls");
    const std::uint64_t word = space<FailureRun, std::uint64_t>(1).front();
    if (word == 0) return;
    const auto count = unchecked(word);
    require(count.has_value(), "checksum mismatch in the failed calls");
    read.count = *count;
    require(fits(read.first_index, 1, read.count) && fits(read.first_id, 1, read.count),
            "invalid call numbers");
    require(read.refused == 1 || may_follow(read.count, steps_to_follow_), too_many_steps);
    log_.failures[{read.communicator, read.operation}].push_back(read);
  }

  void read_growing_record(std::uint64_t offset) {
    go_to(offset);
    if (header_.kind == Kind::times) {
      read_entries<CallTime>([this](const CallTime& time) {
        log_.times[{time.communicator, time.operation}].push_back(
            {time.index, time.begin_ns, time.duration_ns});
      });
    } else {
      read_entries<CallHash>([this](const CallHash& hash) {
        require(hash.received <= 1 && hash.hash != 0, "invalid hash of a call");
        log_.hashes[{hash.communicator, hash.operation}].push_back(hash);
      });
    }
  }

  template <class Entry, class Add>
  void read_entries(Add&& add) {
    const auto read = record<EntriesRecord>();
    bool has_ended = false;
    for (const Entry& entry : space<EntriesRecord, Entry>(read.capacity)) {
      std::uint64_t first_word = 0;
      std::memcpy(&first_word, &entry, sizeof first_word);
      has_ended = has_ended || first_word == 0;
      require(has_ended ? first_word == 0 : entry.check == check_of_entry(entry),
              "checksum mismatch in times or hashes");
      if (has_ended) continue;
      require(entry.communicator < log_.communicators.size() && entry.operation < Operation::count,
              "times or hashes of an unknown operation or communicator");
      add(entry);
    }
  }

  void read_backtrace() {
    const auto read = record<BacktraceRecord>();
    auto frames = tail<BacktraceRecord, Frame>(read.frames);
    require(read.backtrace == log_.backtraces.size(), "backtrace out of order");
    log_.backtraces.push_back(std::move(frames));
  }

  void read_module() {
    const auto read = record<ModuleRecord>();
    const auto path = tail<ModuleRecord, char>(read.path_bytes);
    require(read.module == log_.modules.size(), "module out of order");
    log_.modules.emplace_back(path.begin(), path.end());
  }

  void read_finished() {
    const auto read = record<FinishedRecord>();
    log_.total_calls = tail<FinishedRecord, std::uint64_t>(read.operations);
    log_.total_calls->resize(Operation::count);
    log_.finalized = read.finalized == 1;
    finished_ = true;
  }

  RankLog& log_;
  std::uint64_t steps_to_follow_;
  bool finished_ = false;
  std::vector<StreamPlace> streams_;            // indexed by number
  std::vector<std::uint64_t> growing_offsets_;  // of TimesRecords and HashesRecords
  std::vector<std::int64_t> numbers_;
};

}  // namespace

std::optional<RankRecord> read_log_header(std::span<const char> bytes) {
  if (bytes.size() < sizeof(RankRecord)) return std::nullopt;
  const auto rank = load_record<RankRecord>(bytes, 0);
  const bool good = rank.header.kind == Kind::rank && std::isdigit(version_of(rank.magic)) != 0 &&
                    rank.header.bytes >= sizeof(RankRecord) && rank.header.bytes % 8 == 0;
  return good ? std::optional(rank) : std::nullopt;
}

std::optional<RankRecord> log_header_of(const std::filesystem::path& path) {
  std::error_code unknown;
  const std::string name = path.filename().string();
  if (!name.starts_with("plimsoll-") || !name.ends_with(".log") ||
      !std::filesystem::is_regular_file(path, unknown))
    return std::nullopt;
  std::array<char, sizeof(RankRecord)> bytes;
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), bytes.size());
  return file ? read_log_header(bytes) : std::nullopt;
}

RankLog read_log(const LogContent& content, const MergeLimits& limits) {
  RankLog log;
  log.content = content;
  LogReader reader(log, limits.max_scattered_calls);
  const auto keep_damage = [&](auto&& step) {
    try {
      step();
    } catch (const Error& error) {
      if (!error.diagnostic().byte) throw;
      if (!log.damage) log.damage = error.diagnostic();
    }
  };
  keep_damage([&] { reader.read(); });
  if (log.world_size == 0) throw support::bad_input("the rank log is damaged at its start", content.name);
  keep_damage([&] { reader.read_growing_records(); });
  keep_damage([&] { reader.read_sequences(); });
  reader.sort_entries();
  if (log.damage) {
    log.damage->severity = Severity::warning;
    log.damage->suggestion =
        "later calls of this rank, and failures of earlier ones, are skipped; check the disk of the log";
  }
  return log;
}

}  // namespace plimsoll::collectives
