#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/runtime/load_recorder.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// What a LoadRecorder remembers of ended phases, for checkpoints of the program. After a restart, on any
/// number of ranks, load models and strategies know the loads of these phases:
///
///     RecorderState state(recorder);  // of a program that is being restarted
///     state.resume(phase);
///     state.restore(recorder.register_object({.index = index}), bytes);
class RecorderState {
 public:
  /// The recorder must outlive this object.
  explicit RecorderState(LoadRecorder& recorder) : recorder_(recorder) {}

  /// Packs the user-defined values, the position and the load history of an object on this rank. Throws Error
  /// (usage) for an unknown object.
  std::vector<std::byte> packed(ObjectHandle object) const;

  /// Continues the numbering of phases: makes `phase` the current one. Call it with the same number on all
  /// ranks, before restore(). Throws Error (usage) if a phase of this recorder has ended.
  void resume(std::int64_t phase);
  /// Restores what packed() returned, for an object that has been registered, under any ID. Ignores loads in
  /// phases that this recorder does not keep (setting lb_history). Throws Error: usage for an unknown object,
  /// bad_input if packed() did not make the bytes.
  void restore(ObjectHandle object, std::span<const std::byte> bytes);

 private:
  void expect_registered(ObjectHandle object) const;

  LoadRecorder& recorder_;
};

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

namespace plimsoll::PLIMSOLL_ABI {
using runtime::RecorderState;
}  // namespace plimsoll
