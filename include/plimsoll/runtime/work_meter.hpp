#pragma once

#include <cstddef>
#include <memory>

#include <plimsoll/runtime/clock.hpp>
#include <plimsoll/runtime/object.hpp>
#include <plimsoll/runtime/object_slots.hpp>
#include <plimsoll/runtime/work_timer.hpp>

namespace plimsoll::inline v0_1::runtime {

class CpuMeter;

/// Hot path of a LoadRecorder: begin() and end() of work. Measures wall-clock time and optionally CPU time by
/// slot, and can be switched off.
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
    if (!on_) return true;
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
    if (!on_) return true;
    if (timer_.depth() == 0 || timer_.current() != object.slot) [[unlikely]]
      return switched_;
    if (cpu_) [[unlikely]]
      charge_cpu_time();
    timer_.end();
    return true;
  }

  bool is_on() const { return on_; }
  /// Switches the meter on or off. While it is off, the clock is stopped. Ends all open work.
  void switch_on(bool on);
  /// Ends all open work and leaves the subphase. Returns the number of begin() calls without end(). Does
  /// nothing if the meter is off.
  std::size_t end_all();

  /// Adds the time until now to the current slot.
  void update();
  /// Assigns subsequent time to column 0 or to the column of a subphase.
  void set_column(std::uint32_t column);

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

 private:
  void charge_cpu_time();

  WorkTimer timer_;
  ObjectSlots slots_;
  std::unique_ptr<CpuMeter> cpu_;
  bool on_ = true;
  bool switched_ = false;  // whether the meter was switched on or off in this phase
};

}  // namespace plimsoll::runtime
