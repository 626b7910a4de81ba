#pragma once

#include <memory>
#include <queue>
#include <vector>

#include "collectives/merging/log_stream.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

struct LogRow;
struct RankLog;

/// Calls of one communicator, operation and subject in a log, without calls that failed.
struct CallRuns {
  std::vector<LogStream> streams;    ///< sorted by first index
  std::vector<LogFailure> failures;  ///< failed calls, sorted by ids
  bool are_counts = false;           ///< whether rows contain counts, which MPI refuses if they are negative
  std::uint64_t first_index = UINT64_MAX;  ///< smallest index; UINT64_MAX without calls
  std::uint64_t unit = 0;   ///< common divisor of the distances between indices; 0 for a single call
  std::uint64_t calls = 0;  ///< largest index plus one, including failed calls
  std::uint64_t ids = 0;    ///< largest ID plus one
};

/// The runs of these calls, ordered by first index. They are decompressed one by one. O(log(runs of
/// repetitions)) per run.
class RunCursor {
 public:
  /// Both must outlive the cursor.
  RunCursor(const RankLog& log, const CallRuns& calls);

  /// Returns the current run; null at the end.
  const LogRun* run() const { return runs_.empty() ? nullptr : &runs_.top(); }
  void next() {
    runs_.pop();
    fill();
  }
  /// Returns whether calls with negative counts were skipped: MPI refuses them.
  bool has_skipped_negative_counts() const { return negative_row_ != nullptr; }
  /// Returns the row of such a call.
  const LogRow& negative_row() const { return *negative_row_; }

 private:
  struct Source {
    std::unique_ptr<StreamRuns> runs;
    LogRun run;  // its next run
  };
  struct BeginsLater {
    bool operator()(const LogRun& one, const LogRun& other) const {
      return one.first_index > other.first_index;
    }
  };

  void fill();
  void add(const LogRun& run);
  std::uint64_t next_of_sources() const;
  void take_from_sources(std::uint64_t first_index);

  const RankLog& log_;
  const CallRuns& calls_;
  std::size_t next_stream_ = 0;  // first stream that has not begun
  std::vector<Source> sources_;  // streams that have begun
  std::priority_queue<LogRun, std::vector<LogRun>, BeginsLater> runs_;
  std::vector<LogRun> rest_;
  const LogRow* negative_row_ = nullptr;
};

/// Finds the runs of calls in ascending order of their indices. O(log(runs)) per call up to the last one.
class CallFinder {
 public:
  CallFinder(const RankLog& log, const CallRuns& calls) : cursor_(log, calls) {}
  /// Returns the run that contains this call, or null. Indices must not descend. The run is valid until the
  /// next call of this function.
  const LogRun* find(std::uint64_t index);

 private:
  struct Begun {
    std::uint64_t next_call;
    LogRun run;
    bool operator<(const Begun& other) const { return next_call > other.next_call; }
  };
  RunCursor cursor_;
  std::priority_queue<Begun> begun_;
};

}  // namespace plimsoll::collectives
