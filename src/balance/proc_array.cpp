#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <plimsoll/balance/proc_array.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::balance {

namespace {

bool is_load(double value) {
  return std::isfinite(value) && value >= 0;
}

void check(const LDStats& stats) {
  if (stats.from_proc.size() != stats.obj_data.size())
    throw support::bad_input(fmt::format("LDStats has {} objects in obj_data and {} in from_proc",
                                         stats.obj_data.size(), stats.from_proc.size()));
  for (std::size_t p = 0; p < stats.procs.size(); ++p) {
    const ProcStats& proc = stats.procs[p];
    if (!(std::isfinite(proc.pe_speed) && proc.pe_speed > 0))
      throw support::bad_input(fmt::format("processor {} has speed {}, not above 0", p, proc.pe_speed));
    if (!is_load(static_cast<double>(proc.bg_walltime)))
      throw support::bad_input(
          fmt::format("processor {} has background load {} s, not 0 or more", p, proc.bg_walltime));
  }
}

[[noreturn]] void report_object(const LDStats& stats, std::size_t object) {
  if (static_cast<std::uint32_t>(stats.from_proc[object]) >= stats.procs.size())
    throw support::bad_input(fmt::format("object {} is on processor {}; there are {} processors", object,
                                         stats.from_proc[object], stats.procs.size()));
  throw support::bad_input(
      fmt::format("object {} has load {} s, not 0 or more", object, stats.obj_data[object].walltime));
}

}  // namespace

ProcArray::ProcArray(const LDStats& stats) {
  check(stats);
  const std::size_t n_procs = stats.procs.size();
  // Sentinels' and movable loads of each processor side by side, indexed by whether the object may move.
  std::vector<double> load(2 * n_procs, 0.0);
  std::vector<std::int32_t> movable(n_procs, 0);
  for (std::size_t object = 0; object < stats.obj_data.size(); ++object) {
    const LDObjData data = stats.obj_data[object];
    const auto proc = static_cast<std::uint32_t>(stats.from_proc[object]);
    if (proc >= n_procs || !is_load(static_cast<double>(data.walltime))) report_object(stats, object);
    load[2 * proc + (data.migratable ? 1 : 0)] += static_cast<double>(data.walltime);
    movable[proc] += data.migratable ? 1 : 0;
  }

  procs.reserve(n_procs);
  double speed = 0;
  double work = 0;
  for (std::size_t p = 0; p < n_procs; ++p) {
    const ProcStats& proc = stats.procs[p];
    const double overhead = static_cast<double>(proc.bg_walltime) + load[2 * p] / proc.pe_speed;
    procs.push_back({static_cast<std::int32_t>(p), proc.pe_speed, proc.available, overhead,
                     overhead + load[2 * p + 1] / proc.pe_speed});
    migratable_load_ += load[2 * p + 1];
    n_migratable_ += movable[p];
    if (!proc.available) {
      has_evacuees_ = has_evacuees_ || movable[p] > 0;
      continue;
    }
    ++n_available_;
    speed += proc.pe_speed;
    work += overhead * proc.pe_speed;
  }
  if (n_available_ > 0) average_load_ = (work + migratable_load_) / speed;
}

double ProcArray::max_load() const {
  double max = 0;
  for (const ProcInfo& proc : procs)
    if (proc.available) max = std::max(max, proc.total_load);
  return max;
}

void ProcArray::reset_total_load() {
  for (ProcInfo& proc : procs) proc.total_load = proc.overhead;
}

void ProcArray::require_available() const {
  if (n_migratable_ > 0 && n_available_ == 0)
    throw support::usage_error(
        fmt::format("none of {} processors is available for {} objects", procs.size(), n_migratable_));
}

}  // namespace plimsoll::balance
