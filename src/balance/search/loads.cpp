#include "balance/search/loads.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

// Three digits of this size cover 32 bits, and the counters of a pass fit into the L1 cache.
constexpr unsigned digit_bits = 11;
constexpr std::size_t radix = std::size_t{1} << digit_bits;
// Number of bits for the coarse order: sign, exponent and three more.
constexpr unsigned coarse_bits = 12;
constexpr std::size_t n_coarse = std::size_t{1} << coarse_bits;

/// Returns a key for a non-negative load: a larger load has a smaller key. The key is the inverted bits of
/// the float, because the bits of non-negative floats sort like the floats.
std::uint32_t descending_key(double load) {
  return ~std::bit_cast<std::uint32_t>(static_cast<float>(load));
}

std::size_t digit(std::uint32_t key, unsigned pass) {
  return (key >> (pass * digit_bits)) & (radix - 1);
}

std::size_t coarse(double load) {
  return descending_key(load) >> (32 - coarse_bits);
}

/// Converts the size of each bucket to its start.
template <typename Counts>
void sizes_to_begins(Counts& counts) {
  std::uint32_t begin = 0;
  for (std::uint32_t& count : counts) {
    const std::uint32_t size = count;
    count = begin;
    begin += size;
  }
}

}  // namespace

void sort_by_descending_load(std::vector<LoadedObject>& objects) {
  std::array<std::array<std::uint32_t, radix>, 3> counts{};
  for (const LoadedObject& item : objects)
    for (unsigned pass = 0; pass < counts.size(); ++pass)
      ++counts[pass][digit(descending_key(item.load), pass)];

  std::vector<LoadedObject> sorted(objects.size());
  for (unsigned pass = 0; pass < counts.size(); ++pass) {
    sizes_to_begins(counts[pass]);
    for (const LoadedObject& item : objects)
      sorted[counts[pass][digit(descending_key(item.load), pass)]++] = item;
    objects.swap(sorted);
  }
}

std::vector<std::int32_t> available_ranks(const LDStats& stats) {
  std::vector<std::int32_t> ranks;
  for (std::int32_t rank = 0; rank < stats.count(); ++rank)
    if (stats.procs[at(rank)].available) ranks.push_back(rank);
  return ranks;
}

std::vector<LoadedObject> migratable_by_descending_load(const LDStats& stats) {
  std::vector<LoadedObject> objects;
  objects.reserve(stats.obj_data.size());
  for (std::uint32_t object = 0; object < stats.obj_data.size(); ++object)
    if (stats.obj_data[object].migratable) objects.push_back({stats.load_s(object), object});
  sort_by_descending_load(objects);
  return objects;
}

std::vector<LoadedObject> migratable_by_coarse_load(const LDStats& stats) {
  std::array<std::uint32_t, n_coarse> counts{};
  std::size_t n_migratable = 0;
  for (const LDObjData& data : stats.obj_data) {
    counts[coarse(static_cast<double>(data.walltime))] += data.migratable ? 1 : 0;
    n_migratable += data.migratable ? 1 : 0;
  }
  sizes_to_begins(counts);
  std::vector<LoadedObject> objects(n_migratable);
  for (std::uint32_t object = 0; object < stats.obj_data.size(); ++object) {
    const LDObjData& data = stats.obj_data[object];
    const double load = static_cast<double>(data.walltime);
    if (data.migratable) objects[counts[coarse(load)]++] = {load, object};
  }
  return objects;
}

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

double fair_level(std::span<const Processor> processors, double load) {
  std::vector<Processor> by_overhead(processors.begin(), processors.end());
  std::ranges::sort(by_overhead, {}, &Processor::overhead);
  // Add processors one by one, as long as the level is above their overhead.
  double speed = 0;
  double work = load;
  double level = 0;
  for (const Processor& processor : by_overhead) {
    if (speed > 0 && level <= processor.overhead) break;
    speed += processor.speed;
    work += processor.overhead * processor.speed;
    level = work / speed;
  }
  return level;
}

std::vector<double> fair_shares(const ProcArray& procs, std::span<const std::int32_t> ranks, double load) {
  std::vector<Processor> processors;
  for (const std::int32_t rank : ranks) {
    const ProcInfo& proc = procs.procs[static_cast<std::size_t>(rank)];
    processors.push_back({proc.overhead, proc.pe_speed});
  }
  const double level = fair_level(processors, load);
  std::vector<double> shares;
  shares.reserve(processors.size());
  for (const Processor& processor : processors) shares.push_back(processor.room_below(level));
  return shares;
}

}  // namespace plimsoll::balance
