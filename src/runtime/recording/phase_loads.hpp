#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/runtime/phase_summary.hpp>
#include <plimsoll/runtime/settings.hpp>
#include <plimsoll/runtime/work_meter.hpp>

#include "runtime/recording/object_registry.hpp"

namespace plimsoll::inline v0_1::runtime {

/// Loads of the objects on this rank in the current phase, in seconds by slot. A load is the measured
/// wall-clock or CPU time plus the time that the program added, or the time that it set instead. Columns are
/// the same as in WorkTimer; column 0 is time outside of any subphase.
class PhaseLoads {
 public:
  PhaseLoads(WorkMeter& meter, const ObjectRegistry& objects, LoadTime time = LoadTime::wall)
      : meter_(meter), objects_(objects), time_(time) {}

  /// Returns which time counts as measured time.
  LoadTime time() const { return time_; }

  /// Adds time to the load in the current subphase.
  void add(std::uint32_t slot, double time_s);
  /// Replaces the load so far. Time measured later is added to it.
  void replace(std::uint32_t slot, double time_s);
  /// Replaces the added time, for an object whose measured time does not count as its load.
  void replace_added(std::uint32_t slot, double time_s);

  /// Returns the load up to the last begin(), end() or update() of the timer. O(columns).
  double seconds(std::size_t slot) const;
  double seconds(std::uint32_t column, std::size_t slot) const;
  std::uint32_t column_count() const;
  /// Returns the wall-clock time of a slot, without times that the program added. O(columns).
  double wall_s(std::size_t slot) const;

  /// Returns the times of this rank. O(slots x columns).
  RankTimes rank_times() const;

  /// Discards the time that the program added. The meter must be cleared separately.
  void clear();

 private:
  double measured_s(std::uint32_t column, std::size_t slot) const;
  double& added_s(std::uint32_t column, std::size_t slot);

  WorkMeter& meter_;
  const ObjectRegistry& objects_;
  LoadTime time_;
  std::vector<std::vector<double>> added_s_;  // added time by column and slot; a column may be empty
  double added_total_s_ = 0;
  std::int64_t replaced_ticks_ = 0;  // measured ticks of objects that were replaced
  double replaced_cpu_s_ = 0;        // measured CPU time of objects that was replaced
};

}  // namespace plimsoll::runtime
