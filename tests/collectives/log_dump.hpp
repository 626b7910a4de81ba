#pragma once

#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/collectives/internal/rank_log.hpp>
#include <plimsoll/collectives/profile.hpp>

#include "collectives/model/packed_words.hpp"

// A second reader of rank logs, written from rank_log.hpp alone: simple, slow and strict. Tests use it to
// check the writer.

namespace plimsoll::PLIMSOLL_ABI::collectives {

struct LogDump {
  struct Row {
    rank_log::Content content = rank_log::Content::counts;
    bool wide = false;
    bool in_place = false;
    std::uint64_t send_type_size = 0;
    std::uint64_t recv_type_size = 0;
    std::vector<std::int64_t> send;
    std::vector<std::int64_t> recv;
    friend bool operator==(const Row&, const Row&) = default;
  };
  struct Communicator {
    rank_log::CommunicatorRecord record;
    std::vector<std::uint32_t> members;
    std::vector<std::uint32_t> remote_members;
  };
  struct Neighbors {
    std::vector<std::uint32_t> sources;
    std::vector<std::uint32_t> destinations;
  };
  struct Finished {
    bool finalized = false;
    std::vector<std::uint64_t> calls;
  };
  /// A sequence of calls. The words are keyed by the number of words before them.
  struct Stream {
    rank_log::StreamRecord record;
    std::vector<rank_log::StepRecord> steps;
    std::map<std::uint64_t, std::vector<std::uint64_t>> words;
  };
  struct Failure : rank_log::FailureRun {
    std::uint64_t count = 0;
  };
  /// Call ID, and number of the row or backtrace to which the call refers.
  struct Item {
    std::uint64_t id = 0;
    std::uint32_t item = 0;
    friend bool operator==(const Item&, const Item&) = default;
  };

  rank_log::RankRecord rank{};
  std::string host;
  std::string program;
  std::vector<Communicator> communicators;
  std::map<std::uint32_t, Neighbors> neighbors;
  std::vector<Row> rows;
  std::vector<Stream> streams;
  std::vector<Failure> failures;
  std::vector<rank_log::CallTime> times;
  std::vector<std::vector<rank_log::Frame>> backtraces;
  std::vector<std::string> modules;
  std::vector<rank_log::ClockRecord> clocks;
  std::optional<Finished> finished;
  std::uint64_t bytes = 0;  ///< size of the file
  std::uint64_t used = 0;   ///< size of all records

  /// Returns the calls of one subject, by index.
  std::map<std::uint64_t, Item> items(std::uint32_t communicator, Operation operation,
                                      rank_log::Subject subject) const {
    std::map<std::uint64_t, Item> items;
    for (const Stream& stream : streams) {
      const rank_log::StreamRecord& of = stream.record;
      if (of.communicator != communicator || of.operation != operation.index() || of.subject != subject)
        continue;
      std::uint64_t index = of.origin_index;
      std::uint64_t id = of.origin_id;
      for (const std::uint64_t number : steps_of(stream)) {
        const rank_log::StepRecord& step = stream.steps.at(number);
        index += step.index_step;
        id += step.id_step;
        if (!items.emplace(index, Item{id, step.item}).second)
          throw std::runtime_error("a call is in the log twice");
      }
    }
    return items;
  }

  /// Returns the numbers of the steps of a stream, without compression.
  static std::vector<std::uint64_t> steps_of(const Stream& stream) {
    std::vector<std::uint64_t> words;
    for (const auto& [begin, part] : stream.words) {
      if (begin != words.size()) throw std::runtime_error("words are missing");
      words.insert(words.end(), part.begin(), part.end());
    }
    std::vector<std::uint64_t> steps;
    for (std::size_t k = 0; k < words.size(); ++k) {
      if (words[k] % 2 == 0) {
        steps.push_back(words[k] / 2 - 1);
      } else if (k + 1 < words.size()) {
        const std::uint64_t distance = words[k] / 2;
        for (std::uint64_t count = words[++k]; count > 0; --count)
          steps.push_back(steps.at(steps.size() - distance));
      }
    }
    return steps;
  }

  /// Returns the number of words in all streams.
  std::uint64_t words() const {
    std::uint64_t sum = 0;
    for (const Stream& stream : streams)
      for (const auto& [begin, part] : stream.words) sum += part.size();
    return sum;
  }

  std::map<std::uint64_t, Row> rows_of(std::uint32_t communicator, Operation operation,
                                       rank_log::Subject subject = rank_log::Subject::counts) const {
    std::map<std::uint64_t, Row> result;
    for (const auto& [index, item] : items(communicator, operation, subject))
      result[index] = rows.at(item.item);
    return result;
  }
};

/// Reads values from a record in order.
class RecordDump {
 public:
  RecordDump(const char* bytes, std::size_t size) : bytes_(bytes), size_(size) {}

  template <class Thing>
  Thing take() {
    if (size_ < sizeof(Thing)) throw std::runtime_error("a record is too short");
    Thing thing;
    std::memcpy(&thing, bytes_, sizeof(thing));
    bytes_ += sizeof(thing);
    size_ -= sizeof(thing);
    return thing;
  }
  template <class Thing>
  std::vector<Thing> take(std::uint64_t count) {
    std::vector<Thing> things;
    for (std::uint64_t k = 0; k < count; ++k) things.push_back(take<Thing>());
    return things;
  }
  std::string text(std::uint64_t size) {
    const std::vector<char> letters = take<char>(size);
    return {letters.begin(), letters.end()};
  }
  std::vector<std::int64_t> numbers(std::uint64_t count, bool wide) {
    if (wide) return take<std::int64_t>(count);
    const std::vector<std::int32_t> narrow = take<std::int32_t>(count);
    return {narrow.begin(), narrow.end()};
  }
  std::vector<std::uint32_t> ranks(std::uint64_t runs) {
    std::vector<std::uint32_t> ranks;
    for (std::uint64_t k = 0; k < runs; ++k) {
      const auto first = take<std::uint32_t>();
      const auto last = take<std::uint32_t>();
      for (std::uint32_t rank = first; rank <= last; ++rank) ranks.push_back(rank);
    }
    return ranks;
  }
  /// Throws if more than padding and a checksum remain.
  void end() const {
    if (size_ >= 16) throw std::runtime_error("a record is too long");
  }

 private:
  const char* bytes_;
  std::size_t size_;
};

inline void dump_record(rank_log::Kind kind, RecordDump record, LogDump& log) {
  using namespace rank_log;
  switch (kind) {
    case Kind::end: return;
    case Kind::rank: {
      log.rank = record.take<RankRecord>();
      if (log.rank.magic != magic) throw std::runtime_error("not a log");
      log.host = record.text(log.rank.host_bytes);
      log.program = record.text(log.rank.program_bytes);
      break;
    }
    case Kind::communicator: {
      LogDump::Communicator communicator{record.take<CommunicatorRecord>(), {}, {}};
      communicator.members = record.ranks(communicator.record.member_runs);
      communicator.remote_members = record.ranks(communicator.record.remote_runs);
      if (communicator.record.number != log.communicators.size()) throw std::runtime_error("number");
      log.communicators.push_back(communicator);
      break;
    }
    case Kind::neighbors: {
      const auto neighbors = record.take<NeighborsRecord>();
      LogDump::Neighbors& dump = log.neighbors[neighbors.communicator];
      dump.sources = record.take<std::uint32_t>(neighbors.sources);
      dump.destinations = record.take<std::uint32_t>(neighbors.destinations);
      break;
    }
    case Kind::row: {
      const auto row = record.take<RowRecord>();
      if (row.row != log.rows.size()) throw std::runtime_error("rows are not numbered one by one");
      const bool wide = row.wide != 0;
      LogDump::Row dump{row.content, wide, row.in_place != 0, row.send_type_size, row.recv_type_size, {}, {}};
      dump.send = record.numbers(row.send_count, wide);
      dump.recv = record.numbers(row.recv_count, wide);
      log.rows.push_back(dump);
      break;
    }
    case Kind::stream: {
      log.streams.push_back({record.take<StreamRecord>(), {}, {}});
      if (log.streams.back().record.stream != log.streams.size() - 1) throw std::runtime_error("stream");
      break;
    }
    case Kind::step: {
      const auto step = record.take<StepRecord>();
      LogDump::Stream& stream = log.streams.at(step.stream);
      if (step.step != stream.steps.size()) throw std::runtime_error("number of a step");
      stream.steps.push_back(step);
      break;
    }
    case Kind::words: {
      const auto read = record.take<WordsRecord>();
      record.take<std::uint64_t>();  // checksum
      const std::uint64_t salt = unchecked(record.take<std::uint64_t>()).value_or(0);
      std::vector<std::uint64_t> words;
      bool has_ended = salt == 0;
      for (const std::uint64_t word : record.take<std::uint64_t>(read.capacity)) {
        has_ended = has_ended || !unchecked(word, salt);
        if (!has_ended) words.push_back(*unchecked(word, salt));
      }
      if (salt > 0) log.streams.at(read.stream).words[salt - 1] = words;
      return;
    }
    case Kind::packed: {
      const auto read = record.take<PackedRecord>();
      const std::vector<std::byte> bytes = record.take<std::byte>(read.packed_bytes);
      std::vector<std::uint64_t>& words = log.streams.at(read.stream).words[read.begin];
      words.clear();
      unpack(bytes, read.words, words);
      break;
    }
    case Kind::failed: {
      LogDump::Failure failure = {record.take<FailureRun>()};
      record.take<std::uint64_t>();  // checksum
      failure.count = unchecked(record.take<std::uint64_t>()).value_or(0);
      log.failures.push_back(failure);
      return;
    }
    case Kind::times: {
      const auto times = record.take<TimesRecord>();
      record.take<std::uint64_t>();  // checksum
      for (const CallTime& time : record.take<CallTime>(times.capacity))
        if (time.check != 0) log.times.push_back(time);
      return;
    }
    case Kind::backtrace: {
      const auto backtrace = record.take<BacktraceRecord>();
      if (backtrace.backtrace != log.backtraces.size()) throw std::runtime_error("number of a back trace");
      log.backtraces.push_back(record.take<Frame>(backtrace.frames));
      break;
    }
    case Kind::module: {
      const auto module = record.take<ModuleRecord>();
      if (module.module != log.modules.size()) throw std::runtime_error("number of a module");
      log.modules.push_back(record.text(module.path_bytes));
      break;
    }
    case Kind::clock: log.clocks.push_back(record.take<ClockRecord>()); break;
    case Kind::finished: {
      const auto finished = record.take<FinishedRecord>();
      log.finished = {finished.finalized != 0, record.take<std::uint64_t>(finished.operations)};
      break;
    }
    default: throw std::runtime_error("unknown kind of record");
  }
  record.end();
}

/// Reads a log. Throws std::runtime_error if a record is invalid.
inline LogDump dump_log(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  LogDump log;
  log.bytes = bytes.size();
  while (log.used + sizeof(rank_log::RecordHeader) <= bytes.size()) {
    rank_log::RecordHeader header;
    std::memcpy(&header, &bytes[log.used], sizeof(header));
    if (header.kind == rank_log::Kind::end) break;
    if (header.bytes < sizeof(header) || header.bytes % 8 != 0 || header.bytes > bytes.size() - log.used)
      throw std::runtime_error("a record has an impossible length");
    const std::uint64_t content = rank_log::content_bytes(header);
    std::uint64_t check = 0;
    std::memcpy(&check, &bytes[log.used + content], sizeof(check));
    const auto checked = std::as_bytes(std::span(bytes)).subspan(log.used, content).subspan(sizeof(header));
    if (check != rank_log::check_of(header, checked)) throw std::runtime_error("wrong checksum");
    dump_record(header.kind, RecordDump(&bytes[log.used], header.bytes), log);
    log.used += header.bytes;
  }
  return log;
}

}  // namespace plimsoll::collectives
