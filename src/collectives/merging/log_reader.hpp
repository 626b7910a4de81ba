#pragma once

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>

#include <plimsoll/collectives/internal/rank_log.hpp>
#include <plimsoll/collectives/internal/recorder.hpp>
#include <plimsoll/collectives/merge.hpp>

#include "collectives/model/distinct_rows.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// The maximum index or ID of calls in a log. Sums of a few such numbers fit easily into 64 bits.
inline constexpr std::uint64_t max_call = std::uint64_t{1} << 60;

struct LogCommunicator : rank_log::CommunicatorRecord {
  NumberList members = {};
  NumberList remote_members = {};
  bool has_neighbors = false;
  std::vector<std::uint32_t> sources = {};
  std::vector<std::uint32_t> destinations = {};
};

/// Position of a row's numbers in the log, and a digest that identifies them. The digest is computed from
/// 64-bit numbers, so it does not depend on the width of the original numbers.
struct LogRow {
  struct Side {
    std::uint64_t type_size = 0;
    std::uint64_t offset = 0;  ///< bytes from the start of the log
    std::uint64_t count = 0;
    Digest digest = {};
  };
  std::uint32_t number = 0;
  rank_log::Content content = rank_log::Content::counts;
  bool wide = false;
  bool negative = false;  ///< whether a number is below 0; MPI refuses such counts
  Side send;
  Side recv;
  Digest digest;  ///< digest of both sides and their type sizes

  const Side& side(Direction direction) const { return direction == Direction::send ? send : recv; }
};

/// rank_log::CallRun for a given communicator, operation and subject; steps are 1 for a single call.
struct LogRun {
  std::uint64_t first_index = 0;
  std::uint64_t index_step = 1;
  std::uint64_t first_id = 0;
  std::uint64_t id_step = 1;
  std::uint64_t count = 0;
  std::uint32_t item = 0;  ///< index in RankLog::rows or backtraces

  std::uint64_t last_index() const { return first_index + (count - 1) * index_step; }
  std::uint64_t last_id() const { return first_id + (count - 1) * id_step; }
  bool contains(std::uint64_t index) const {
    return first_index <= index && index <= last_index() && (index - first_index) % index_step == 0;
  }
  std::uint64_t id_of(std::uint64_t index) const {
    return first_id + (index - first_index) / index_step * id_step;
  }
};

inline std::uint64_t last_index(const rank_log::FailureRun& run) {
  return run.refused == 1 ? run.first_index : run.first_index + run.count - 1;
}
inline std::uint64_t last_id(const rank_log::FailureRun& run) {
  return run.first_id + run.count - 1;
}

/// Runs of one communicator, operation and subject, sorted by first index.
class CallRuns {
 public:
  void add(const LogRun& run) { runs_.push_back(run); }
  void replace(std::vector<LogRun> runs) { runs_ = std::move(runs); }
  /// Counts calls that are not in runs, because they failed.
  void include(std::uint64_t last_index) { failed_end_ = std::max(failed_end_, last_index + 1); }
  /// Sorts the runs. Call it after adding all runs and before find().
  void sort() {
    if (!std::ranges::is_sorted(runs_, {}, &LogRun::first_index))
      std::ranges::stable_sort(runs_, {}, &LogRun::first_index);
    latest_.clear();
    for (const LogRun& run : runs_)
      latest_.push_back(latest_.empty() ? run.last_index() : std::max(latest_.back(), run.last_index()));
  }

  const std::vector<LogRun>& runs() const { return runs_; }
  /// Returns the run that contains this call, or nullptr. O(log(runs) + runs that began before and continue).
  const LogRun* find(std::uint64_t index) const {
    auto position = static_cast<std::size_t>(
        std::ranges::upper_bound(runs_, index, {}, &LogRun::first_index) - runs_.begin());
    while (position-- > 0 && latest_[position] >= index)
      if (runs_[position].contains(index)) return &runs_[position];
    return nullptr;
  }

  /// Returns the largest index plus one.
  std::uint64_t calls() const { return std::max(failed_end_, latest_.empty() ? 0 : latest_.back() + 1); }

 private:
  std::vector<LogRun> runs_;
  std::vector<std::uint64_t> latest_;  // prefix maximum of the runs' last indices
  std::uint64_t failed_end_ = 0;       // largest index of failed calls plus one
};

struct LogTime {
  std::uint64_t index = 0;
  std::uint64_t begin_ns = 0;
  std::uint64_t duration_ns = 0;
};

/// Selects calls by communicator, operation and subject.
struct CallsKey {
  std::uint32_t communicator = 0;
  std::uint8_t operation = 0;
  rank_log::Subject subject = rank_log::Subject::counts;
  friend auto operator<=>(const CallsKey&, const CallsKey&) = default;
};

/// Content of one rank's log. It refers to the log's bytes, which must outlive it.
struct RankLog : RankIdentity {
  LogContent content;
  std::vector<LogCommunicator> communicators;  ///< indexed by number
  std::vector<LogRow> rows;                    ///< indexed by number
  std::map<CallsKey, CallRuns> calls;          ///< without calls that failed
  /// Calls that failed, by communicator and operation.
  std::map<std::pair<std::uint32_t, std::uint8_t>, std::vector<rank_log::FailureRun>> failures;
  /// Times, sorted by index of the call. The subject of every key is Subject::counts.
  std::map<CallsKey, std::vector<LogTime>> times;
  /// Hashes of data, sorted by index of the call. The subject of every key is Subject::counts.
  std::map<CallsKey, std::vector<rank_log::CallHash>> hashes;
  std::vector<std::vector<rank_log::Frame>> backtraces;  ///< indexed by number
  std::vector<std::string> modules;                      ///< indexed by number
  std::vector<rank_log::ClockRecord> clocks;
  /// Number of calls per operation, if the program reached its end.
  std::optional<std::vector<std::uint64_t>> total_calls;
  bool finalized = false;
  std::optional<Diagnostic> damage;  ///< first damage, if any; the data before it are kept

  /// Returns the k-th number of a side of a row.
  std::int64_t number(const LogRow& row, const LogRow::Side& side, std::uint64_t k) const {
    const char* const first = content.bytes.data() + side.offset;
    if (row.wide) {
      std::int64_t number = 0;
      std::memcpy(&number, first + k * 8, 8);
      return number;
    }
    std::int32_t number = 0;
    std::memcpy(&number, first + k * 4, 4);
    return number;
  }
};

/// Reads a log. If it is truncated, damaged or malicious, returns the data before the damage. Memory is
/// bounded by the log's size. Throws Error (bad_input) if the content is not a log.
RankLog read_log(const LogContent& content, const MergeLimits& limits);

/// Returns the first record of a log, or nothing if the file is not a log.
std::optional<rank_log::RankRecord> read_log_header(std::span<const char> bytes);

/// Returns the first record of a log in a directory, or nothing if the entry is not a log: another file, or a
/// log whose writer has not written its first record yet.
std::optional<rank_log::RankRecord> log_header_of(const std::filesystem::directory_entry& entry);

/// Reads the logs of one run, and returns one per rank, sorted by rank. Inputs that are not logs, or belong
/// to another run, become findings. Throws Error (bad_input) if the logs belong to several runs, or if no
/// input is a log.
std::vector<RankLog> read_logs_of_run(std::span<const LogContent> contents, const MergeLimits& limits,
                                      std::vector<Diagnostic>& findings, support::Progress& progress);

}  // namespace plimsoll::collectives
