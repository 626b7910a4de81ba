#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/collectives/internal/rank_log.hpp>
#include <plimsoll/collectives/merge.hpp>
#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::testing {

/// Builds rank logs one record at a time, without the recorder.
class LogBuilder {
 public:
  using Numbers = std::vector<std::int64_t>;

  struct Row {
    std::uint64_t send_type_size = 4;
    std::uint64_t recv_type_size = 4;
    Numbers send;
    Numbers recv;
    bool wide = false;
    bool in_place = false;
    collectives::rank_log::Content content = collectives::rank_log::Content::counts;
  };

  /// Calls on one communicator. `id` defaults to `index`.
  struct Calls {
    std::uint32_t communicator = 0;
    collectives::Operation operation = {};
    std::uint32_t item = 0;
    std::uint64_t index = 0;
    std::uint64_t count = 1;
    std::uint64_t index_step = 1;
    std::uint64_t id = UINT64_MAX;
    std::uint64_t id_step = 1;
    collectives::rank_log::Subject subject = collectives::rank_log::Subject::counts;
  };

  LogBuilder(std::uint32_t rank, std::uint32_t size, std::uint64_t run_id = 7) {
    const std::string host = "node" + std::to_string(rank / 2);
    const std::string program = "/bin/app";
    collectives::rank_log::RankRecord record{};
    record.magic = collectives::rank_log::magic;
    record.run_id = run_id;
    record.job = 42;
    record.world_rank = rank;
    record.world_size = size;
    record.pid = 1000 + rank;
    record.host_bytes = static_cast<std::uint32_t>(host.size());
    record.program_bytes = static_cast<std::uint32_t>(program.size());
    add(collectives::rank_log::Kind::rank, record, host + program);
  }

  /// Replaces the host and the program in the first record. Call this before adding other records.
  LogBuilder& name_writer(const std::string& host, const std::string& program) {
    collectives::rank_log::RankRecord record;
    std::memcpy(&record, log_.data(), sizeof record);
    record.host_bytes = static_cast<std::uint32_t>(host.size());
    record.program_bytes = static_cast<std::uint32_t>(program.size());
    log_.clear();
    return add(collectives::rank_log::Kind::rank, record, host + program);
  }

  /// Adds a communicator and returns its number.
  std::uint32_t communicator(std::uint32_t comm_rank, const std::vector<std::uint32_t>& members,
                             std::uint64_t order = 0, const std::vector<std::uint32_t>& remote = {}) {
    collectives::rank_log::CommunicatorRecord record{};
    const std::vector<std::uint32_t> runs = runs_of(members);
    const std::vector<std::uint32_t> remote_runs = runs_of(remote);
    record.number = communicators_++;
    record.comm_rank = comm_rank;
    record.comm_size = static_cast<std::uint32_t>(members.size());
    record.remote_size = static_cast<std::uint32_t>(remote.size());
    record.member_runs = static_cast<std::uint32_t>(runs.size() / 2);
    record.remote_runs = static_cast<std::uint32_t>(remote_runs.size() / 2);
    record.order = order;
    add(collectives::rank_log::Kind::communicator, record, text_of(runs) + text_of(remote_runs));
    return record.number;
  }

  LogBuilder& neighbors(std::uint32_t communicator, const std::vector<std::uint32_t>& sources,
                        const std::vector<std::uint32_t>& destinations) {
    collectives::rank_log::NeighborsRecord record{};
    record.communicator = communicator;
    record.sources = static_cast<std::uint32_t>(sources.size());
    record.destinations = static_cast<std::uint32_t>(destinations.size());
    return add(collectives::rank_log::Kind::neighbors, record, text_of(sources) + text_of(destinations));
  }

  /// Adds a row and returns its number.
  std::uint32_t row(const Row& row) {
    collectives::rank_log::RowRecord record{};
    record.row = rows_++;
    record.content = row.content;
    record.wide = row.wide ? 1 : 0;
    record.in_place = row.in_place ? 1 : 0;
    record.send_type_size = row.send_type_size;
    record.recv_type_size = row.recv_type_size;
    record.send_count = row.send.size();
    record.recv_count = row.recv.size();
    Numbers all = row.send;
    all.insert(all.end(), row.recv.begin(), row.recv.end());
    const std::vector<std::int32_t> narrow(all.begin(), all.end());
    add(collectives::rank_log::Kind::row, record, row.wide ? text_of(all) : text_of(narrow));
    return record.row;
  }

  /// Adds a stream with these calls: one step, and its repetitions.
  LogBuilder& calls(const Calls& calls) {
    const std::uint64_t id = calls.id == UINT64_MAX ? calls.index : calls.id;
    collectives::rank_log::StreamRecord stream{};
    stream.communicator = calls.communicator;
    stream.operation = static_cast<std::uint8_t>(calls.operation.index());
    stream.subject = calls.subject;
    stream.origin_index = calls.index - calls.index_step;
    stream.origin_id = id - calls.id_step;
    collectives::rank_log::StepRecord step{};
    step.item = calls.item;
    step.index_step = calls.index_step;
    step.id_step = calls.id_step;
    std::vector<std::uint64_t> words = {2};
    if (calls.count > 1) words.insert(words.end(), {3, calls.count - 1});
    return sequence(stream, {step}, words);
  }

  /// Adds a stream with these steps and words, which are not checked yet.
  LogBuilder& sequence(collectives::rank_log::StreamRecord stream,
                       std::vector<collectives::rank_log::StepRecord> steps,
                       const std::vector<std::uint64_t>& words) {
    using namespace collectives::rank_log;
    stream.stream = streams_;
    add(Kind::stream, stream);
    for (std::uint32_t number = 0; number < steps.size(); ++number) {
      steps[number].stream = streams_;
      steps[number].step = number;
      add(Kind::step, steps[number]);
    }
    constexpr std::uint64_t salt = 1;
    std::vector<std::uint64_t> space = {checked(salt)};
    for (const std::uint64_t word : words) space.push_back(checked(word, salt));
    WordsRecord record{};
    record.stream = streams_++;
    record.capacity = static_cast<std::uint32_t>(words.size());
    return add(Kind::words, record, {}, text_of(space));
  }

  LogBuilder& failed(std::uint32_t communicator, collectives::Operation operation, bool refused,
                     std::uint64_t index, std::uint64_t id, std::uint64_t count = 1) {
    collectives::rank_log::FailureRun record{};
    record.communicator = communicator;
    record.operation = static_cast<std::uint8_t>(operation.index());
    record.refused = refused ? 1 : 0;
    record.first_index = index;
    record.first_id = id;
    return add(collectives::rank_log::Kind::failed, record, {},
               text_of(std::vector{collectives::rank_log::checked(count)}));
  }

  LogBuilder& times(std::vector<collectives::rank_log::CallTime> times, std::uint32_t capacity) {
    return entries(collectives::rank_log::Kind::times, std::move(times), capacity);
  }

  LogBuilder& hashes(std::vector<collectives::rank_log::CallHash> hashes, std::uint32_t capacity) {
    return entries(collectives::rank_log::Kind::hashes, std::move(hashes), capacity);
  }

  LogBuilder& clock(std::int64_t local_ns, std::int64_t offset_ns, std::int64_t error_ns,
                    std::int64_t origin_ns) {
    collectives::rank_log::ClockRecord record{};
    record.local_ns = local_ns;
    record.offset_ns = offset_ns;
    record.error_ns = error_ns;
    record.origin_ns = origin_ns;
    return add(collectives::rank_log::Kind::clock, record);
  }

  LogBuilder& module(std::uint32_t number, const std::string& path) {
    collectives::rank_log::ModuleRecord record{};
    record.module = number;
    record.path_bytes = static_cast<std::uint32_t>(path.size());
    return add(collectives::rank_log::Kind::module, record, path);
  }

  LogBuilder& backtrace(std::uint32_t number, const std::vector<collectives::rank_log::Frame>& frames) {
    collectives::rank_log::BacktraceRecord record{};
    record.backtrace = number;
    record.frames = static_cast<std::uint32_t>(frames.size());
    return add(collectives::rank_log::Kind::backtrace, record, text_of(frames));
  }

  /// Adds the end record. `totals` is indexed by Operation::index().
  LogBuilder& finished(const std::vector<std::uint64_t>& totals = {}, bool finalized = true) {
    collectives::rank_log::FinishedRecord record{};
    record.finalized = finalized ? 1 : 0;
    record.operations = static_cast<std::uint32_t>(totals.size());
    return add(collectives::rank_log::Kind::finished, record, text_of(totals));
  }

  LogBuilder& unused_room(std::size_t bytes) {
    log_.append(bytes, '\0');
    return *this;
  }

  /// Calls change(record, bytes after it) for the last record, and renews its checksum.
  template <class Record, class Change>
  LogBuilder& change_last(Change&& change) {
    char* const place = log_.data() + last_;
    Record record;
    std::memcpy(&record, place, sizeof record);
    change(record, place + sizeof record);
    std::memcpy(place, &record, sizeof record);
    seal(log_, last_);
    return *this;
  }

  /// Renews the checksums of all records of a log, up to the first one with an invalid length.
  static void seal(std::string& log) {
    std::size_t begin = 0;
    while (begin < log.size()) {
      const std::size_t bytes = seal(log, begin);
      if (bytes == 0) return;
      begin += bytes;
    }
  }

  const std::string& bytes() const { return log_; }
  std::string& bytes() { return log_; }

 private:
  /// Adds a record. `space` follows its checksum.
  template <class Record>
  LogBuilder& add(collectives::rank_log::Kind kind, Record record, const std::string& tail = {},
                  const std::string& space = {}) {
    const std::size_t content = (sizeof record + tail.size() + 7) / 8 * 8;
    record.header.kind = kind;
    record.header.bytes = static_cast<std::uint32_t>(content + sizeof(std::uint64_t) + space.size());
    last_ = log_.size();
    log_.append(reinterpret_cast<const char*>(&record), sizeof record);
    log_ += tail;
    log_.resize(last_ + content + sizeof(std::uint64_t));
    log_ += space;
    seal(log_, last_);
    return *this;
  }

  /// Sets the checksum of the record at `begin`. Returns its size, or 0 if its length is invalid.
  static std::size_t seal(std::string& log, std::size_t begin) {
    collectives::rank_log::RecordHeader header{};
    std::uint64_t check = 0;
    const std::size_t rest = log.size() - begin;
    if (rest < sizeof header + sizeof check) return 0;
    std::memcpy(&header, log.data() + begin, sizeof header);
    if (header.bytes < sizeof header + sizeof check || header.bytes > rest) return 0;
    const std::size_t content = collectives::rank_log::content_bytes(header);
    if (content + sizeof check > header.bytes) return 0;
    const auto checked = std::as_bytes(std::span(log)).subspan(begin, content).subspan(sizeof header);
    check = collectives::rank_log::check_of(header, checked);
    std::memcpy(log.data() + begin + content, &check, sizeof check);
    return header.bytes;
  }

  template <class Entry>
  LogBuilder& entries(collectives::rank_log::Kind kind, std::vector<Entry> entries, std::uint32_t capacity) {
    for (Entry& entry : entries) entry.check = collectives::rank_log::check_of_entry(entry);
    collectives::rank_log::EntriesRecord record{};
    record.capacity = capacity;
    std::string text = text_of(entries);
    text.resize(capacity * sizeof(Entry));
    return add(kind, record, {}, text);
  }

  template <class Number>
  static std::string text_of(const std::vector<Number>& numbers) {
    return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
  }

  static std::vector<std::uint32_t> runs_of(const std::vector<std::uint32_t>& ranks) {
    std::vector<std::uint32_t> runs;
    for (const std::uint32_t rank : ranks) {
      if (!runs.empty() && runs.back() + 1 == rank) {
        runs.back() = rank;
      } else {
        runs.insert(runs.end(), {rank, rank});
      }
    }
    return runs;
  }

  std::string log_;
  std::size_t last_ = 0;  // position of the last record
  std::uint32_t communicators_ = 0;
  std::uint32_t streams_ = 0;
  std::uint32_t rows_ = 0;
};

/// Calls merge() with the given logs, named "log 0", "log 1" and so on.
inline collectives::MergeResult merge_logs(const std::vector<std::string>& logs,
                                           const collectives::MergeLimits& limits = {}) {
  std::vector<collectives::LogContent> contents;
  for (std::size_t k = 0; k < logs.size(); ++k) contents.push_back({logs[k], "log " + std::to_string(k)});
  return collectives::merge(contents, support::Progress::none(), limits);
}

}  // namespace plimsoll::testing
