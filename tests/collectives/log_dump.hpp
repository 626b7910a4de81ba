#pragma once

#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/collectives/internal/rank_log.hpp>
#include <plimsoll/collectives/profile.hpp>

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
  std::vector<rank_log::CallRun> runs;
  std::vector<rank_log::FailureRun> failures;
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
    for (const rank_log::CallRun& run : runs) {
      if (run.communicator != communicator || run.operation != operation.index() || run.subject != subject)
        continue;
      for (std::uint64_t k = 0; k < run.count; ++k) {
        const bool is_new =
            items
                .emplace(run.first_index + k * run.index_step, Item{run.first_id + k * run.id_step, run.item})
                .second;
        if (!is_new) throw std::runtime_error("a call is in two runs");
      }
    }
    return items;
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
  /// Throws if more than padding remains.
  void end() const {
    if (size_ >= 8) throw std::runtime_error("a record is too long");
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
    case Kind::run: log.runs.push_back(record.take<rank_log::CallRun>()); break;
    case Kind::failed: log.failures.push_back(record.take<FailureRun>()); break;
    case Kind::times: {
      const auto times = record.take<TimesRecord>();
      const auto all = record.take<CallTime>(times.capacity);
      log.times.insert(log.times.end(), all.begin(), all.begin() + static_cast<std::ptrdiff_t>(times.used));
      break;
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
    dump_record(header.kind, RecordDump(&bytes[log.used], header.bytes), log);
    log.used += header.bytes;
  }
  return log;
}

}  // namespace plimsoll::collectives
