#pragma once

#include <cstdint>

#include <plimsoll/runtime/phase_summary.hpp>
#include <plimsoll/runtime/settings.hpp>
#include <plimsoll/runtime/work_meter.hpp>

#include "runtime/recording/device_times.hpp"
#include "runtime/recording/object_registry.hpp"
#include "runtime/recording/thread_work.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Returns the background load of a rank that marks its waits, in the time that its loads are measured in.
/// Waits may take CPU time, or not.
double background_load_s(const RankTimes& times, LoadTime time);

/// Loads of the objects on this rank in the current phase, in seconds by slot. A load is the measured
/// wall-clock, CPU or device time plus the time that the program added, or the time that it set instead.
/// Columns are the same as in WorkTimer; column 0 is time outside of any subphase.
///
/// The load of an object on which several threads worked is the sum of their times. Times of threads other
/// than the recorder's own are part of the loads after take_from_threads() only.
class PhaseLoads {
 public:
  PhaseLoads(WorkMeter& meter, const ObjectRegistry& objects, DeviceTimes& devices,
             LoadTime time = LoadTime::wall)
      : meter_(meter), objects_(objects), devices_(devices), time_(time) {}

  /// Returns which time counts as measured time.
  LoadTime time() const { return time_; }

  /// Adds time to the load in the current subphase. The only function that other threads may call.
  void add(std::uint32_t slot, double time_s);
  /// Replaces the load so far. Time measured later is added to it.
  void replace(std::uint32_t slot, double time_s);
  /// Replaces the added time, for an object whose measured time does not count as its load.
  void replace_added(std::uint32_t slot, double time_s);

  /// Replaces the load at the end of the phase, after the times of all threads have been taken.
  void replace_measured(std::uint32_t slot, double time_s);
  /// Makes this much of the background time count as time of objects.
  void count_as_objects(double time_s) { added_total_s_ += time_s; }
  /// Makes the background time count as time of objects. Returns what it was, in the time of the loads.
  double count_background_as_objects();

  /// Moves the times of an object from the other threads to its load. Cost: O(threads x columns).
  void take_from_threads(std::uint32_t slot);
  /// Does this for all objects, at the end of the phase, and also finds how much of the background time other
  /// threads used. Cost: O(threads x columns x slots).
  void take_from_threads();

  /// Returns the load up to the last begin(), end() or update() of the timer. O(columns).
  double seconds(std::size_t slot) const;
  double seconds(std::uint32_t column, std::size_t slot) const;
  std::uint32_t column_count() const;
  /// Returns the wall-clock time of a slot, summed over all threads, without times that the program added.
  /// O(columns).
  double wall_s(std::size_t slot) const;

  /// Returns the times of this rank. O(slots x columns).
  RankTimes rank_times() const;

  /// Discards the time that the program added. The meter must be cleared separately.
  void clear();

 private:
  void take(ThreadWork& work, std::uint32_t slot);
  double measured_s(std::uint32_t column, std::size_t slot) const;
  double wall_s(std::uint32_t column, std::size_t slot) const;

  WorkMeter& meter_;
  const ObjectRegistry& objects_;
  DeviceTimes& devices_;
  LoadTime time_;
  AddedTimes added_;         // times that the program added
  AddedTimes from_threads_;  // wall-clock times that other threads measured
  double added_total_s_ = 0;
  bool background_is_of_objects_ = false;
  double threads_in_background_s_ = 0;  // part of the background time in which other threads worked
  std::int64_t replaced_ticks_ = 0;     // measured ticks of objects that were replaced
  double replaced_cpu_s_ = 0;           // measured CPU time of objects that was replaced
};

}  // namespace plimsoll::runtime
