#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/collectives/internal/rank_log.hpp>

#include "collectives/merging/log_runs.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// A stream of calls as it is in the log: compressed (rank_log::StreamRecord).
struct LogStream {
  struct Step {
    std::uint32_t item = 0;  ///< index in RankLog::rows or backtraces
    std::uint64_t index_step = 0;
    std::uint64_t id_step = 0;
  };
  /// Consecutive words of the sequence, at a position of the log.
  struct Part {
    std::uint64_t begin = 0;   ///< number of words before
    std::uint64_t words = 0;   ///< number of words
    std::uint64_t offset = 0;  ///< bytes from the start of the log to the words, or to their compressed form
    std::uint64_t packed_bytes = 0;  ///< size of the compressed form; 0 if they are not compressed
    std::uint64_t unused = 0;        ///< number of unused words after them, if they are not compressed
  };
  std::uint64_t origin_index = 0;
  std::uint64_t origin_id = 0;
  std::vector<Step> steps;                              ///< indexed by number
  std::vector<Part> parts;                              ///< by begin, without gaps
  std::uint64_t max_distance = rank_log::max_distance;  ///< upper bound of the distances of repetitions
  std::uint64_t first_index = 0;                        ///< index of the first call
};

/// The calls of a stream as runs, ordered by first index. A repetition of d calls results in at most d runs.
/// Memory: that of one part, and of `max_distance` steps.
class StreamRuns {
 public:
  /// Both must outlive this object. `bytes` is the content of the log.
  StreamRuns(const LogStream& stream, std::span<const char> bytes);

  /// Reads the next run. Returns false at the end, or where the stream is damaged.
  bool next(LogRun& run);

  /// Returns how the stream is damaged where next() returned false; null if it is not.
  const char* damage() const { return damage_; }
  /// Returns the maximum distance of repetitions so far.
  std::uint64_t max_distance() const { return max_distance_; }
  /// Returns the cost so far, in steps.
  std::uint64_t cost() const { return cost_; }

 private:
  /// Calls with the same steps as `distance` steps before.
  struct Repetition {
    std::uint64_t distance = 0;
    std::uint64_t calls = 0;
    std::uint64_t done = 0;  // number of runs that next() has returned
    LogStream::Step all;     // sum of `distance` steps
    LogStream::Step before;  // sum of the first `done` steps
  };

  bool fail(const char* damage);
  bool load_part();
  bool take_step(std::uint64_t number, LogRun& run);
  bool begin_repetition(std::uint64_t distance, std::uint64_t calls);
  bool next_of_repetition(LogRun& run);
  void end_repetition();
  const LogStream::Step& step_before(std::uint64_t distance) const {
    return stream_.steps[ring_[(steps_ - distance) & (ring_.size() - 1)]];
  }
  void push(std::uint32_t number) { ring_[steps_++ & (ring_.size() - 1)] = number; }

  const LogStream& stream_;
  std::span<const char> bytes_;
  std::size_t part_ = 0;
  std::vector<std::uint64_t> words_;
  std::size_t word_ = 0;
  std::vector<std::uint32_t> ring_;  // latest steps; a power of two
  std::uint64_t steps_ = 0;
  std::uint64_t index_;  // of the last call
  std::uint64_t id_;
  Repetition repetition_;
  std::uint64_t max_distance_ = 0;
  std::uint64_t cost_ = 0;
  const char* damage_ = nullptr;
};

}  // namespace plimsoll::collectives
