#pragma once

#include <cstdint>
#include <vector>

#include "collectives/recording/known_rows.hpp"
#include "collectives/recording/mapped_log.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// The rows (or backtraces) of the calls of one operation on one communicator, in order, written to the log
/// as runs. Programs repeat sequences of calls, so the stream predicts that the next row equals the row
/// `period` calls ago. The prediction selects the row to compare first and the run to extend. For example, a
/// program repeats calls with the rows A, B, B. They become three runs, one for A and one for each B,
/// regardless of the number of repetitions.
class CallStream {
 public:
  CallStream(std::uint32_t communicator, Operation operation, rank_log::Subject subject)
      : communicator_(communicator),
        operation_(static_cast<std::uint8_t>(operation.index())),
        subject_(subject) {}

  /// Returns the predicted row of the next call; null without a prediction. `generation` is the generation of
  /// the known rows.
  const KnownRow* expected(std::uint64_t generation) {
    if (generation != generation_) forget(generation);
    return period_ > 0 ? before(period_).row : nullptr;
  }

  /// Discards the past calls: the next call begins a new run.
  void free_memory() {
    forget(generation_);
    past_.shrink_to_fit();
  }

  /// Appends one call. Returns false if the log is full.
  bool append(const KnownRow& row, std::uint64_t index, std::uint64_t id, MappedLog& log);

 private:
  struct PastCall {
    const KnownRow* row;
    MappedLog::Position run;
  };

  /// Returns the call that was `distance` calls ago.
  const PastCall& before(std::uint64_t distance) const { return past_[(calls_ - distance) % longest_period]; }
  void remember(PastCall call);
  void forget(std::uint64_t generation);
  std::uint64_t period_to_have_now(const KnownRow& row) const;
  MappedLog::Position begin_run(const KnownRow& row, std::uint64_t index, std::uint64_t id,
                                MappedLog& log) const;

  static constexpr std::uint64_t longest_period = 128;

  std::uint32_t communicator_;
  std::uint8_t operation_;
  rank_log::Subject subject_;
  std::uint64_t generation_ = 0;
  std::uint64_t calls_ = 0;
  std::uint64_t period_ = 0;
  std::vector<PastCall> past_;  // becomes a ring after longest_period calls
};

}  // namespace plimsoll::collectives
