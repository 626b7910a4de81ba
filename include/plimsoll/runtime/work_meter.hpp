#pragma once

#include <cstddef>
#include <memory>

#include <plimsoll/runtime/clock.hpp>
#include <plimsoll/runtime/object.hpp>
#include <plimsoll/runtime/object_slots.hpp>
#include <plimsoll/runtime/work_timer.hpp>

namespace plimsoll::inline v0_1::runtime {

class CpuMeter;

/// The hot path of a LoadRecorder: what begin() and end() of work do. Measures wall-clock time by slot, and
/// CPU time if asked to, and can be switched off.
class WorkMeter {
 public:
  static constexpr ObjectHandle idle{.slot = ObjectSlots::idle, .generation = 1};

  WorkMeter(Clock::Source source, bool with_cpu_time);
  WorkMeter(const WorkMeter&) = delete;
  WorkMeter& operator=(const WorkMeter&) = delete;
  ~WorkMeter();

  /// Time from now on is of this object, until the matching end(). Returns false, and changes nothing, if the
  /// handle is not valid. Off, it does nothing.
  bool begin(ObjectHandle object) {
    if (!on_) return true;
    if (!slots_.is_valid(object)) [[unlikely]]
      return false;
    if (cpu_) [[unlikely]]
      charge_cpu_time();
    timer_.begin(object.slot);
    return true;
  }
  /// Returns false, and changes nothing, if the object is not the one begun last. That is no mistake of the
  /// program in a phase in which the meter was switched on or off, since then the begin() may be missing.
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
  /// Off, the clock stands still. What is open ends.
  void switch_on(bool on);
  /// Ends all that is open and leaves the subphase. Returns how many begin() lacked their end(). Does nothing
  /// if the meter is off.
  std::size_t end_all();

  /// What has gone by since the last begin() or end() belongs to nobody.
  void start();
  /// All times are zero.
  void clear();
  /// A phase begins: as start(), and each end() must have its begin() again.
  void start_phase();

  ObjectSlots& slots() { return slots_; }
  WorkTimer& timer() { return timer_; }
  const WorkTimer& timer() const { return timer_; }
  /// Null if CPU time is not measured.
  const CpuMeter* cpu() const { return cpu_.get(); }

 private:
  void charge_cpu_time();

  WorkTimer timer_;
  ObjectSlots slots_;
  std::unique_ptr<CpuMeter> cpu_;
  bool on_ = true;
  bool switched_ = false;  // in this phase
};

}  // namespace plimsoll::runtime
