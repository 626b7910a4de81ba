#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/load_evidence.hpp>
#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/runtime/phase_summary.hpp>
#include <plimsoll/runtime/settings.hpp>

#include "runtime/manager/core_wait_clock.hpp"
#include "runtime/recording/inferred_loads.hpp"
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
  balance::RankPhase device;  ///< of the device of the rank, if that is not `phase`
  /// Share of the time outside of marked waits in which no other thread had this rank's core, 0 to 1; 1 if
  /// the loads are not wall-clock times.
  double running_share = 1;
  std::optional<bool> loads_changed = {};  ///< many_loads_changed(), unless the program passes the loads
};

/// Measures this rank's processor phase by phase: speed, background load, and how long other processes had
/// it.
class RankMonitor {
 public:
  /// Collective. Measures the relative speed if the setting lb_measure_speed is on.
  explicit RankMonitor(const Session& session, CoreWaitClock core_wait = CoreWaitClock());

  /// Measures a phase that ends, before the ranks wait for each other. `loads_s` are the loads of this rank's
  /// objects, `device_s` their device times, if any, `before` the record of the phase before, if any.
  /// `inferred` is the error of inferred loads.
  RankMeasurement measure(const lbdata::PhaseRecord& record, const RankTimes& times,
                          std::span<const double> loads_s, std::span<const double> device_s,
                          std::optional<InferenceError> inferred, const lbdata::PhaseRecord* before);
  /// Adds a phase that has ended on all ranks.
  void observe(const PhaseSummary& summary);
  /// Starts the next phase.
  void start_phase();
  /// Ignores the time from pause() to resume(), which belongs to no phase.
  void pause();
  void resume();

  /// Returns RankMeasurement::running_share of the last phase.
  double running_share() const { return running_shares_.empty() ? 1 : running_shares_.back(); }
  /// Returns the shares of the last phases, oldest first.
  const std::deque<double>& running_shares() const { return running_shares_; }
  /// Wall-clock time, which contains waits for ranks that have no core; and the part of it in which other
  /// threads had the core of this one, unless the loads contain that.
  struct Time {
    double total_s = 0;
    double core_wait_s = 0;
  };
  Time time() const;

  /// Returns the stats of this rank in the last phase. Its background load is the time that belongs to no
  /// object if the program marks its waits, the median of three phases; otherwise it is 0, because that time
  /// would contain the waits.
  const balance::ProcStats& proc_stats() const { return proc_; }
  void set_available(bool available) { proc_.available = available; }

 private:
  /// What the system counts for this thread.
  struct Counters {
    std::int64_t cpu_ns = 0;
    std::int64_t core_wait_ns = 0;
    std::int64_t forced_switches = 0;  ///< only counted without core_wait_ns
  };
  Counters count() const;
  double interrupted_s(const RankTimes& times) const;

  LoadTime load_time_;
  CoreWaitClock core_wait_;
  bool knows_core_wait_;
  bool marks_waits_ = false;  // whether the program marked waits in the last phase
  std::deque<double> running_shares_;
  std::deque<double> backgrounds_s_;  // of the last phases, without the time of other processes
  balance::ProcStats proc_;
  Counters at_pause_;
  Counters at_start_;  // of the phase
};

}  // namespace plimsoll::runtime
