#include "pelayout/timing/esmf_driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

/// Returns whether a region is a run phase: "[ATM] RunPhase1".
bool is_run_phase(std::string_view region) {
  return !bracketed_name(region).empty() && region.find("] RunPhase") != std::string_view::npos;
}

bool is_component_phase(std::string_view region) {
  return is_run_phase(region) && is_component_name(bracketed_name(region));
}

void add_region(std::string_view name, std::size_t region, std::vector<NamedRegions>& all) {
  auto known = std::ranges::find(all, name, &NamedRegions::first);
  if (known == all.end()) known = all.insert(known, {std::string(name), {}});
  known->second.push_back(region);
}

EsmfDriver driver_at(const EsmfProfile& profile, std::size_t region) {
  EsmfDriver driver{.region = region};
  for (std::size_t k = region + 1; k < profile.end_of(region); k = profile.end_of(k)) {
    const std::string_view whole = profile.regions[k].name;
    const std::string_view name = bracketed_name(whole);
    if (name == mediator_name)
      driver.mediator.push_back(k);
    else if (is_component_phase(whole))
      add_region(name, k, driver.components);
    else if (is_run_phase(whole) && name.find("-TO-") != std::string_view::npos)
      add_region(name, k, driver.connectors);
  }
  return driver;
}

/// Range of ranks that were seen in regions of a component.
struct SeenRanks {
  std::int64_t tasks = 1;
  std::int64_t first = 0;
  std::int64_t last = 0;
};

void see(const EsmfRegion& region, std::string_view name, std::map<std::string, SeenRanks>& seen) {
  const auto [first, last] = std::minmax(region.minimum_pet, region.maximum_pet);
  const auto [entry, is_new] =
      seen.emplace(std::string(name), SeenRanks{.tasks = region.pets, .first = first, .last = last});
  SeenRanks& ranks = entry->second;
  ranks.tasks = std::max(ranks.tasks, region.pets);
  ranks.first = std::min(ranks.first, first);
  ranks.last = std::max(ranks.last, last);
}

/// Returns the ranks seen in all regions of components, also while they start and end.
std::map<std::string, SeenRanks> seen_ranks(const EsmfProfile& profile) {
  std::map<std::string, SeenRanks> seen;
  std::vector<std::string_view> names;  // component around each level; empty outside components
  for (const EsmfRegion& region : profile.regions) {
    names.resize(region.depth);
    const std::string_view own = bracketed_name(region.name);
    const std::string_view outer = names.empty() ? std::string_view{} : names.back();
    const std::string_view name = is_component_name(own) ? own : own.empty() ? outer : std::string_view{};
    names.push_back(name);
    if (!name.empty()) see(region, name, seen);
  }
  return seen;
}

/// Returns the number of ranks that two components have in common, from a connector between them. Empty if
/// the profile has no connector.
std::optional<std::int64_t> common_ranks(const EsmfProfile& profile, const EsmfDriver& driver,
                                         const ComponentRanks& one, const ComponentRanks& two) {
  for (const auto& [name, regions] : driver.connectors)
    if (name == one.name + "-TO-" + two.name || name == two.name + "-TO-" + one.name)
      return one.tasks + two.tasks - profile.regions[regions.front()].pets;
  return std::nullopt;
}

/// Narrows the root of a component: of its ranks, `common` are ranks of `other`, whose root is certain.
void narrow(const ComponentRanks& other, std::int64_t common, ObservedRanks& observed) {
  const std::int64_t tasks = observed.ranks.tasks;
  const std::int64_t end = other.root + other.tasks;
  std::int64_t first = observed.first_root;
  std::int64_t last = observed.last_root;
  if (common == std::min(tasks, other.tasks)) {
    const auto [from, to] = std::minmax(other.root, end - tasks);
    first = std::max(first, from);
    last = std::min(last, to);
  } else if (common >= 0 && other.root + common - tasks < first) {
    // The component cannot begin before the other one, so it follows.
    first = std::max(first, end - common);
    if (common > 0) last = std::min(last, end - common);
  }
  if (first > last) return;
  observed.first_root = first;
  observed.last_root = last;
}

/// Returns the number between two numbers, both included, that the largest power of two divides: components
/// mostly begin on a node.
std::int64_t roundest(std::int64_t first, std::int64_t last) {
  std::int64_t step = std::int64_t(std::bit_floor(std::uint64_t(std::max<std::int64_t>(last, 1))));
  if (first == 0) return 0;
  while (last / step * step < first) step /= 2;
  return last / step * step;
}

}  // namespace

std::string_view bracketed_name(std::string_view region) {
  const std::size_t end = region.find(']');
  return region.starts_with('[') && end != std::string_view::npos ? region.substr(1, end - 1)
                                                                  : std::string_view{};
}

bool is_component_name(std::string_view name) {
  constexpr std::size_t letters = 3;
  return name.size() == letters &&
         std::ranges::all_of(name, [](char letter) { return letter >= 'A' && letter <= 'Z'; });
}

EsmfDriver find_driver(const EsmfProfile& profile, std::int64_t instance) {
  std::int64_t number = 0;
  std::vector<std::size_t> around;
  for (std::size_t k = 0; k < profile.regions.size(); ++k) {
    const EsmfRegion& region = profile.regions[k];
    around.resize(region.depth);
    const bool is_first_of_driver = is_component_phase(region.name) &&
                                    bracketed_name(region.name) != mediator_name && !around.empty() &&
                                    is_run_phase(profile.regions[around.back()].name);
    if (is_first_of_driver && ++number >= instance) return driver_at(profile, around.back());
    if (is_first_of_driver) k = profile.end_of(around.back()) - 1;
    if (!is_first_of_driver) around.push_back(k);
  }
  throw support::bad_input(
      number == 0 ? "no run phase of a component: missing regions such as \"[ATM] RunPhase1\""
                  : fmt::format("no driver number {}: the profile has {}", instance, number),
      profile.path, "use the file ESMF_Profile.summary of a complete run of a coupled model");
}

std::vector<ObservedRanks> ranks_in(const EsmfProfile& profile, std::int64_t driver_instance) {
  const EsmfDriver driver = find_driver(profile, driver_instance);
  const std::int64_t run_ranks = profile.regions.front().pets;
  std::vector<std::string> names;
  for (const auto& [name, regions] : driver.components) names.push_back(name);
  if (!driver.mediator.empty()) names.emplace_back(mediator_name);
  std::vector<ObservedRanks> result;
  for (const auto& [name, seen] : seen_ranks(profile)) {
    if (std::ranges::find(names, name) == names.end()) continue;
    ObservedRanks& observed = result.emplace_back();
    observed.ranks = {.name = name, .root = seen.first, .tasks = seen.tasks};
    observed.first_root = std::max<std::int64_t>(0, seen.last - seen.tasks + 1);
    observed.last_root = std::min(seen.first, run_ranks - seen.tasks);
    if (observed.first_root <= observed.last_root) continue;
    // The ranks have gaps.
    const std::int64_t gaps = std::max<std::int64_t>(1, seen.tasks - 1);
    observed.ranks.stride = std::max<std::int64_t>(1, (seen.last - seen.first) / gaps);
    observed.first_root = 0;
    observed.last_root = seen.first;
  }
  const auto mediator = std::ranges::find(result, mediator_name,
                                          [](const ObservedRanks& observed) { return observed.ranks.name; });
  for (ObservedRanks& observed : result) {
    if (mediator != result.end() && mediator->is_certain() && &observed != &*mediator &&
        observed.ranks.stride == 1) {
      mediator->ranks.root = mediator->first_root;
      if (const auto common = common_ranks(profile, driver, observed.ranks, mediator->ranks))
        narrow(mediator->ranks, *common, observed);
    }
    observed.ranks.root = roundest(observed.first_root, observed.last_root);
  }
  return result;
}

}  // namespace plimsoll::pelayout
