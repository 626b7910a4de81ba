#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <plimsoll/balance/benefit_rule.hpp>
#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/lbdata/records.hpp>
#include <plimsoll/runtime/phase_summary.hpp>

#include "runtime/recording/session.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Returns whether a quarter of a rank's objects became slower, or faster, by 15 % or more from one phase to
/// the next. If it happens to all ranks, the program changes. Otherwise a processor has probably changed its
/// speed. Returns nothing if the rank had other objects before, or has fewer than 8. Cost: one comparison of
/// the objects, and a sample of their loads.
std::optional<bool> many_loads_changed(const lbdata::Tasks& now, const lbdata::Tasks& before);

/// Measurements of a rank in a phase.
struct RankMeasurement {
  balance::RankPhase phase;
  /// CPU time divided by the time outside of marked waits, 0 to 1; 1 if the loads are not wall-clock times.
  double running_share = 1;
  std::optional<bool> loads_changed = {};  ///< many_loads_changed(), unless the program passes the loads
};

/// Measures this rank's processor phase by phase: speed, background load, and whether other processes use it.
class RankMonitor {
 public:
  /// Collective. Measures the relative speed if the setting lb_measure_speed is on.
  explicit RankMonitor(const Session& session);

  /// Measures a phase that ends, before the ranks wait for each other. `loads_s` are the loads of this rank's
  /// objects, `before` the record of the phase before, if any.
  RankMeasurement measure(const lbdata::PhaseRecord& record, const RankTimes& times,
                          std::span<const double> loads_s, const lbdata::PhaseRecord* before) const;
  /// Adds a phase that has ended on all ranks.
  void observe(const PhaseSummary& summary);
  /// Starts the next phase.
  void start_phase();
  /// Ignores the CPU time from pause() to resume(), which belongs to no phase.
  void pause();
  void resume();

  /// Returns the stats of this rank in the last phase. Its background load is the time that belongs to no
  /// object if the program marks its waits; otherwise it is 0, because that time would contain the waits.
  const balance::ProcStats& proc_stats() const { return proc_; }
  void set_available(bool available) { proc_.available = available; }

 private:
  double background_s(const RankTimes& times) const;
  double interrupted_s(const RankTimes& times) const;

  bool loads_are_cpu_time_;
  bool marks_waits_ = false;  // whether the program marked waits in the last phase
  balance::ProcStats proc_;
  std::int64_t cpu_at_pause_ = 0;
  std::int64_t cpu_at_start_ = 0;  // CPU time of this thread at the start of the phase, in nanoseconds
};

}  // namespace plimsoll::runtime
