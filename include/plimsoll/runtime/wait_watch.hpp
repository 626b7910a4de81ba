#pragma once

#include <cstdint>

#include <plimsoll/runtime/load_recorder.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Watches waits in ObjectSystem::run_until_quiet(), in which a rank delivers messages until all ranks have
/// called it. If that takes longer than the setting lb_watchdog, one rank reports the ranks that do not look,
/// because they are elsewhere, or work on one message for more than a second.
class WaitWatch {
 public:
  /// The recorder must outlive this object.
  explicit WaitWatch(LoadRecorder& recorder) : recorder_(recorder) {}
  WaitWatch(const WaitWatch&) = delete;
  WaitWatch& operator=(const WaitWatch&) = delete;
  /// Receives the questions that this rank has not answered. No rank may be in a wait any more. Does nothing
  /// after MPI_Finalize.
  ~WaitWatch();

  /// Begins a wait. `number` is the same on all ranks, and another one in each wait.
  void begin(std::int64_t number);
  /// Answers the questions of other ranks, and asks them if the time has passed. Call it often. Does nothing
  /// outside of a wait. Throws Error (system) if MPI fails. Cost: a reading of the clock in the first half
  /// second, then two MPI_Iprobe.
  void look();
  /// Ends the wait: all ranks have arrived. Does nothing outside of a wait.
  void end();

 private:
  LoadRecorder& recorder_;
  bool is_waiting_ = false;
};

}  // namespace plimsoll::runtime
