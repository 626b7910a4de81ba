#include "balance/search/load_unit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

// Fraction of the unit up to which a remainder counts as a rounding error of the loads.
const double remainder_error = std::sqrt(static_cast<double>(std::numeric_limits<LBRealType>::epsilon()));

// Smallest unit of finish times, relative to their mean, that makes a difference.
constexpr double smallest_unit = 1e-6;

double greatest_common_unit(double a, double b, double minimum) {
  while (b >= minimum && !is_multiple(a, b)) {
    const double remainder = std::fmod(a, b);
    a = b;
    b = std::min(remainder, b - remainder);
  }
  return b;
}

}  // namespace

bool is_multiple(double load, double unit) {
  const double ratio = load / unit;
  const double whole = std::round(ratio);
  return load == 0 || (whole >= 1 && std::abs(ratio - whole) <= remainder_error);
}

double load_unit(const LDStats& stats, double minimum) {
  double unit = 0;
  double heaviest = 0;
  for (const LDObjData& object : stats.obj_data) {
    const double load = static_cast<double>(object.walltime);
    if (!object.migratable || load == 0) continue;
    unit = unit == 0 ? load : greatest_common_unit(load, unit, minimum);
    if (unit < minimum) return 0;
    heaviest = std::max(heaviest, load);
  }
  if (unit == 0) return 0;
  unit = heaviest / std::round(heaviest / unit);  // the heaviest load has the smallest relative error
  const bool all_multiples = std::ranges::all_of(stats.obj_data, [unit](const LDObjData& object) {
    return !object.migratable || is_multiple(static_cast<double>(object.walltime), unit);
  });
  return all_multiples ? unit : 0;
}

double finish_time_unit(const LDStats& stats, const ProcArray& procs) {
  const auto first = std::ranges::find(procs.procs, true, &ProcInfo::available);
  if (first == procs.procs.end() || procs.average_load() == 0) return 0;
  const double speed = first->pe_speed;
  const double unit = load_unit(stats, smallest_unit * procs.average_load() * speed) / speed;
  const auto whole = [&](const ProcInfo& proc) {
    return !proc.available || (proc.pe_speed == speed && is_multiple(proc.overhead, unit));
  };
  return unit > 0 && std::ranges::all_of(procs.procs, whole) ? unit : 0;
}

}  // namespace plimsoll::balance
