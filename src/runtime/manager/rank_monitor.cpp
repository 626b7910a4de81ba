#include "runtime/manager/rank_monitor.hpp"

#include <algorithm>

#include <plimsoll/mpi/node_place.hpp>
#include <plimsoll/runtime/clock.hpp>

#include "runtime/manager/processor_speed.hpp"

namespace plimsoll::inline v0_1::runtime {

RankMonitor::RankMonitor(const Session& session) {
  proc_.node = mpi::node_place(session.communicator()).id;
  if (session.settings().lb_measure_speed) proc_.pe_speed = relative_speed(session.communicator());
  start_phase();
}

void RankMonitor::start_phase() {
  cpu_at_start_ = Clock::cpu_nanoseconds();
}

balance::RankPhase RankMonitor::observe(const PhaseSummary& phase, std::span<const double> loads_s) {
  const RankTimes& times = phase.times;
  proc_.total_walltime = static_cast<balance::LBRealType>(times.total_s);
  proc_.total_cputime = static_cast<balance::LBRealType>(times.cpu_total_s);
  proc_.idletime = static_cast<balance::LBRealType>(times.idle_s);
  proc_.bg_walltime = static_cast<balance::LBRealType>(phase.marked_idle_s > 0 ? times.background_s : 0);
  proc_.bg_cputime = static_cast<balance::LBRealType>(times.cpu_total_s - times.cpu_objects_s);
  proc_.utilization = times.total_s > 0 ? 1 - times.idle_s / times.total_s : 0;

  balance::RankPhase measured;
  measured.load_s = proc_.bg_walltime;
  for (const double load_s : loads_s) {
    measured.load_s += load_s;
    measured.heaviest_object_s = std::max(measured.heaviest_object_s, load_s);
  }
  // A wait that spins takes CPU time, so the share of the work is at least this, and 1 at most.
  const double busy_s = times.total_s - times.idle_s;
  if (busy_s > 0)
    measured.running_share =
        std::min(1.0, (1e-9 * static_cast<double>(Clock::cpu_nanoseconds() - cpu_at_start_)) / busy_s);
  return measured;
}

}  // namespace plimsoll::runtime
