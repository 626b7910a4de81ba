#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <plimsoll/runtime/object.hpp>
#include <plimsoll/runtime/work_timer.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/version.hpp>

#if (defined(__x86_64__) || defined(__aarch64__)) && __has_builtin(__builtin_thread_pointer)
#define PLIMSOLL_HAS_THREAD_POINTER
#endif

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Returns a number that differs between all threads that exist at the same time. Takes one instruction if
/// the compiler can read the thread pointer.
inline std::uintptr_t this_thread() {
#ifdef PLIMSOLL_HAS_THREAD_POINTER
  return reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer());
#else
  return static_cast<std::uintptr_t>(pthread_self());
#endif
}

/// Numbered slots of the objects on this rank. They also determine whether handles are valid: each slot has a
/// generation, which changes when its object is removed. Slots below first_object are for time that belongs
/// to no object.
class ObjectSlots {
 public:
  static constexpr std::uint32_t background = 0;
  static constexpr std::uint32_t idle = 1;
  static constexpr std::uint32_t first_object = 2;

  /// Creates the slots without objects. A default handle, with slot and generation 0, is never valid.
  ObjectSlots() : generations_(first_object, 1) {}

  bool is_valid(ObjectHandle object) const {
    return object.slot < generations_.size() && generations_[object.slot] == object.generation;
  }
  /// Returns the valid handle of a slot.
  ObjectHandle handle(std::size_t slot) const {
    PLIMSOLL_EXPECT(slot < generations_.size());
    return {static_cast<std::uint32_t>(slot), generations_[slot]};
  }
  std::size_t size() const { return generations_.size(); }

  void add() { generations_.push_back(0); }
  /// Invalidates all existing handles of a slot.
  void invalidate(std::uint32_t slot) { ++generations_[slot]; }

 private:
  std::vector<std::uint32_t> generations_;
};

class CpuMeter;
class ThreadTable;

/// Hot path of a LoadRecorder: begin() and end() of work. Measures wall-clock time and optionally CPU time by
/// slot, and can be switched off.
///
/// The thread that constructs the meter owns it. Every other thread gets a timer of its own at its first
/// begin() (see ThreadTable), so that no call takes a lock. Other threads may call begin(), end(), is_on()
/// and is_own_thread() only, and no call of theirs may overlap with calls of the owner that add objects,
/// switch the meter or read times.
class WorkMeter {
 public:
  static constexpr ObjectHandle idle{.slot = ObjectSlots::idle, .generation = 1};

  WorkMeter(Clock::Source source, bool with_cpu_time);
  WorkMeter(const WorkMeter&) = delete;
  WorkMeter& operator=(const WorkMeter&) = delete;
  ~WorkMeter();

  /// Assigns subsequent time to this object, until the matching end(). Returns false and changes nothing if
  /// the handle is invalid. Does nothing while the meter is off.
  bool begin(ObjectHandle object) {
    if (!is_on()) return true;
    if (!is_own_thread()) [[unlikely]]
      return begin_on_other_thread(object);
    if (!slots_.is_valid(object)) [[unlikely]]
      return false;
    if (cpu_) [[unlikely]]
      charge_cpu_time();
    timer_.begin(object.slot);
    return true;
  }
  /// Ends the work on an object. Returns false and changes nothing unless this object was begun last. Returns
  /// true in any case if the meter was switched on or off in this phase, because the begin() may be missing.
  bool end(ObjectHandle object) {
    if (!is_on()) return true;
    if (!is_own_thread()) [[unlikely]]
      return end_on_other_thread(object);
    if (timer_.depth() == 0 || timer_.current() != object.slot) [[unlikely]]
      return switched_;
    if (cpu_) [[unlikely]]
      charge_cpu_time();
    timer_.end();
    return true;
  }

  bool is_on() const { return on_.load(std::memory_order_relaxed); }
  /// Returns whether the calling thread is the one that constructed the meter.
  bool is_own_thread() const { return this_thread() == own_thread_; }
  /// Returns whether the slot is current on any thread, or will be current again. Cost: O(threads x depth).
  bool is_open(WorkTimer::Slot slot) const;
  /// Switches the meter on or off. While it is off, the clock is stopped. Ends all open work.
  void switch_on(bool on);
  /// Ends all open work, of all threads, and leaves the subphase. Returns the number of begin() calls without
  /// end(). Does nothing if the meter is off.
  std::size_t end_all();

  /// Adds the time until now to the current slot.
  void update();
  /// Assigns subsequent time to column 0 or to the column of a subphase. Other threads do the same at their
  /// next begin().
  void set_column(std::uint32_t column);
  std::uint32_t column() const { return column_.load(std::memory_order_relaxed); }

  /// Discards the time since the last begin() or end().
  void start();
  /// Sets all times to zero.
  void clear();
  /// Calls start() for a new phase. From now on, each end() again requires its begin().
  void start_phase();

  ObjectSlots& slots() { return slots_; }
  WorkTimer& timer() { return timer_; }
  const WorkTimer& timer() const { return timer_; }
  /// Returns the CPU-time meter, or null if CPU time is not measured.
  const CpuMeter* cpu() const { return cpu_.get(); }
  CpuMeter* cpu() { return cpu_.get(); }
  /// Returns the work of the other threads.
  ThreadTable& threads() { return *threads_; }

 private:
  bool begin_on_other_thread(ObjectHandle object);
  bool end_on_other_thread(ObjectHandle object);
  void charge_cpu_time();

  std::uintptr_t own_thread_ = this_thread();
  WorkTimer timer_;
  ObjectSlots slots_;
  std::unique_ptr<CpuMeter> cpu_;
  std::unique_ptr<ThreadTable> threads_;
  // Atomic, because other threads may read them while the owner changes them.
  std::atomic<bool> on_ = true;
  std::atomic<std::uint32_t> column_ = 0;
  bool switched_ = false;  // whether the meter was switched on or off in this phase
};

}  // namespace plimsoll::runtime
