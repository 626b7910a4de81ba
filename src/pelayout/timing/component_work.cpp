#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include <plimsoll/pelayout/esmf_profile.hpp>
#include <plimsoll/support/internal/format.hpp>

#include "pelayout/timing/esmf_driver.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

/// Share of the fastest PET's time that inner regions must hold to account for a component's work.
constexpr double accounted_share = 0.5;
/// Spread of times, relative to their mean, below which no delay is derived from it.
constexpr double least_spread = 0.05;
/// Tolerance when the spread of one component is compared with the delay that another causes.
constexpr double delay_tolerance = 1.1;
/// Tolerance when the mean of a component is compared with the share of its ranks that wait.
constexpr double share_tolerance = 0.25;
/// Share of the slowest PET's extra time that the PETs must spend on average if they wait. Otherwise, few
/// slow PETs work longer.
constexpr double waiting_share = 0.2;

/// Returns whether a region contains only waiting, by its name. "sync_file..." writes to a disk.
bool is_synchronisation(const EsmfRegion& region) {
  const std::string name = support::upper_case(region.name);
  const auto contains = [&](const char* part) { return name.find(part) != std::string::npos; };
  return contains("BARRIER") || contains("WAIT") || (name.starts_with("SYNC") && !contains("SYNC_FILE"));
}

/// Times of a component's inner regions, as times per PET of the component.
struct InnerTimes {
  double mean_s = 0;
  double minimum_s = 0;  ///< bound below the time of any PET
  double maximum_s = 0;  ///< bound above the time of any PET
  double synchronisation_s = 0;
  double minimum_synchronisation_s = 0;
};

InnerTimes inner_times(const EsmfProfile& profile, std::size_t outer) {
  const EsmfRegion& component = profile.regions[outer];
  InnerTimes inner;
  std::size_t counted_until = outer;  // end of the last region for synchronisation
  for (std::size_t k = outer + 1; k < profile.end_of(outer); ++k) {
    const EsmfRegion& region = profile.regions[k];
    const bool is_on_all_pets = region.pets == component.pets;
    const double mean_s =
        region.mean_s * (static_cast<double>(region.pets) / static_cast<double>(component.pets));
    if (region.depth == component.depth + 1) {
      inner.mean_s += mean_s;
      inner.minimum_s += is_on_all_pets ? region.minimum_s : 0;
      inner.maximum_s += region.maximum_s;
    }
    if (k >= counted_until && is_synchronisation(region)) {
      inner.synchronisation_s += mean_s;
      inner.minimum_synchronisation_s += is_on_all_pets ? region.minimum_s : 0;
      counted_until = profile.end_of(k);
    }
  }
  return inner;
}

/// A component whose time is being divided.
struct Part {
  ComponentWork work;
  const ComponentRanks* ranks = nullptr;  ///< null if unknown
  std::int64_t fastest_pet = 0;
  std::int64_t slowest_pet = 0;
  bool is_accounted = false;  ///< whether inner regions hold most of the fastest PET's time
  double spread_s = 0;        ///< difference between the slowest and the fastest PET
  double work_spread_s = 0;   ///< part of it that is not known to be waiting
  double work_maximum_s = 0;  ///< work of the slowest PET
};

/// Sets work and waiting so that their sum is exactly the mean: the smaller one is the difference between the
/// mean and the larger one, which floating-point numbers hold exactly (Sterbenz' lemma).
void divide(ComponentWork& work, double waiting_s) {
  waiting_s = std::clamp(waiting_s, 0.0, work.mean_s);
  work.work_s = work.mean_s - waiting_s;
  work.waiting_s = work.mean_s - work.work_s;
  if (work.work_s < work.waiting_s) work.work_s = work.mean_s - work.waiting_s;
}

/// Applies the first two rules: synchronisation, and time outside inner regions.
void apply_inner_regions(const InnerTimes& inner, Part& part) {
  ComponentWork& work = part.work;
  part.spread_s = part.work_spread_s = work.maximum_s - work.minimum_s;
  part.is_accounted = inner.minimum_s >= accounted_share * work.minimum_s && inner.minimum_s > 0;
  double waiting_s = inner.synchronisation_s;
  part.work_maximum_s = work.maximum_s - inner.minimum_synchronisation_s;
  if (part.is_accounted) {
    const double fastest_outside_s = std::max(0.0, work.minimum_s - inner.minimum_s);
    const double outside_s = std::max(0.0, work.mean_s - inner.mean_s - fastest_outside_s);
    const double slowest_outside_s = std::max(0.0, work.maximum_s - inner.maximum_s - fastest_outside_s);
    if (outside_s >= waiting_share * slowest_outside_s) {
      waiting_s += outside_s;
      part.work_spread_s -= slowest_outside_s;
      part.work_maximum_s -= slowest_outside_s;
    }
  }
  divide(work, waiting_s);
}

/// Returns whether all ranks of a component are ranks of another.
bool is_inside(const ComponentRanks& inner, const ComponentRanks& outer) {
  return outer.contains(inner.root) && outer.contains(inner.root + (inner.tasks - 1) * inner.stride) &&
         (inner.stride == outer.stride || outer.stride == 1);
}

/// Returns the share of a component's ranks that are not ranks of another. Ranks of both are assumed to be
/// spread evenly where their ranges overlap.
double share_outside(const ComponentRanks& ranks, const ComponentRanks& other) {
  const auto end = [](const ComponentRanks& of) { return of.root + (of.tasks - 1) * of.stride + 1; };
  const std::int64_t common = std::min(end(ranks), end(other)) - std::max(ranks.root, other.root);
  const auto span = static_cast<double>(end(ranks) - ranks.root);
  return 1 - static_cast<double>(std::max<std::int64_t>(0, common)) / span;
}

/// Returns whether `other` delays only some ranks of `part`, the fastest one among them. The ranks that
/// `other` does not delay then all wait, which the mean shows.
bool delays_fastest(const Part& other, const Part& part) {
  if (is_inside(*part.ranks, *other.ranks) || !other.ranks->contains(part.fastest_pet) ||
      other.ranks->contains(part.slowest_pet))
    return false;
  const double waiting_share_of_ranks = (part.work.mean_s - part.work.minimum_s) / part.spread_s;
  return part.spread_s <= delay_tolerance * other.work.maximum_s &&
         waiting_share_of_ranks >= share_outside(*part.ranks, *other.ranks) - share_tolerance;
}

/// Returns whether `other` keeps the ranks of `part` for times that differ by as much as its own.
bool delays_unevenly(const Part& other, const Part& part) {
  const bool is_cause =
      other.is_accounted || part.is_accounted ||
      other.work.maximum_s * part.work.minimum_s < part.work.maximum_s * other.work.minimum_s;
  return is_cause && is_inside(*part.ranks, *other.ranks) &&
         part.spread_s <= delay_tolerance * other.work_spread_s;
}

/// Returns the shortest component that delays a component in this way; null if none does. A longer one would
/// cause a longer delay.
const Part* find_cause(const std::vector<Part>& parts, const Part& part,
                       bool (*delays)(const Part& other, const Part& part)) {
  const Part* cause = nullptr;
  for (const Part& other : parts) {
    if (other.work.name == part.work.name || other.ranks == nullptr || !delays(other, part)) continue;
    if (cause == nullptr || other.work_maximum_s < cause->work_maximum_s) cause = &other;
  }
  return cause;
}

/// Applies the third rule: the spread of a component that others delay.
void apply_delays(const std::vector<Part>& parts, Part& part) {
  ComponentWork& work = part.work;
  if (part.ranks == nullptr || part.spread_s <= least_spread * work.mean_s) return;
  const double beyond_fastest_s = work.mean_s - work.minimum_s;
  const bool waits_outside = part.is_accounted && work.waiting_s >= accounted_share * beyond_fastest_s;
  const Part* cause = find_cause(parts, part, delays_fastest);
  if (cause == nullptr && (waits_outside || !part.is_accounted))
    cause = find_cause(parts, part, delays_unevenly);
  if (cause == nullptr) return;
  work.waits_for = cause->work.name;
  if (waits_outside) return;
  divide(work, std::max(work.waiting_s, beyond_fastest_s));
  part.work_maximum_s = work.work_s;
}

void add_times(const EsmfRegion& region, ComponentWork& work) {
  work.tasks = std::max(work.tasks, region.pets);
  work.mean_s += region.mean_s;
  work.minimum_s += region.minimum_s;
  work.maximum_s += region.maximum_s;
  if (region.count) work.steps = std::max(work.steps.value_or(0), *region.count);
}

/// Divides the time of a connector or the mediator, whose PETs all communicate with each other.
ComponentWork communicating_work(const EsmfProfile& profile, const std::string& name,
                                 std::span<const std::size_t> regions) {
  ComponentWork work{.name = name};
  for (const std::size_t k : regions) add_times(profile.regions[k], work);
  divide(work, work.mean_s - work.minimum_s);
  return work;
}

Part component_part(const EsmfProfile& profile, const std::string& name, std::span<const std::size_t> regions,
                    const std::vector<ComponentRanks>& ranks) {
  Part part{.work = {.name = name}};
  InnerTimes inner;
  const EsmfRegion* longest = nullptr;
  for (const std::size_t k : regions) {
    const EsmfRegion& region = profile.regions[k];
    add_times(region, part.work);
    const InnerTimes times = inner_times(profile, k);
    inner.mean_s += times.mean_s;
    inner.minimum_s += times.minimum_s;
    inner.maximum_s += times.maximum_s;
    inner.synchronisation_s += times.synchronisation_s;
    inner.minimum_synchronisation_s += times.minimum_synchronisation_s;
    if (longest == nullptr || region.maximum_s > longest->maximum_s) longest = &region;
  }
  part.fastest_pet = longest->minimum_pet;
  part.slowest_pet = longest->maximum_pet;
  const auto known = std::ranges::find(ranks, name, &ComponentRanks::name);
  if (known != ranks.end()) part.ranks = &*known;
  apply_inner_regions(inner, part);
  return part;
}

}  // namespace

std::vector<ComponentWork> component_work(const EsmfProfile& profile,
                                          const std::vector<ComponentRanks>& ranks,
                                          std::int64_t driver_instance) {
  const EsmfDriver driver = find_driver(profile, driver_instance);
  std::vector<Part> parts;
  for (const auto& [name, regions] : driver.components)
    parts.push_back(component_part(profile, name, regions, ranks));
  std::vector<Part> divided = parts;
  for (Part& part : divided) apply_delays(parts, part);

  std::vector<ComponentWork> result;
  for (Part& part : divided) {
    ComponentWork& work = part.work;
    if (work.work_s > 0) work.imbalance = std::max(1.0, part.work_maximum_s / work.work_s);
    result.push_back(std::move(work));
  }
  if (!driver.mediator.empty()) result.push_back(communicating_work(profile, mediator_name, driver.mediator));
  for (const auto& [name, regions] : driver.connectors)
    result.push_back(communicating_work(profile, name, regions));
  return result;
}

}  // namespace plimsoll::pelayout
