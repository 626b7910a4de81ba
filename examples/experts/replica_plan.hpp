#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/balance.hpp>

/// Experts on one device, one per slot.
using Device = std::vector<std::size_t>;

/// Number of replicas of each expert, and their devices.
struct ReplicaPlan {
  std::vector<std::size_t> replicas;
  std::vector<Device> devices;
  double max_load = 0;  ///< maximum load of a device
};

/// Replica of an expert, with its share of the expert's load.
struct Replica {
  double load;
  std::size_t expert;
};

inline std::vector<Replica> replicas_of(std::span<const double> loads,
                                        const std::vector<std::size_t>& counts) {
  std::vector<Replica> replicas;
  for (std::size_t expert = 0; expert < loads.size(); ++expert)
    for (std::size_t k = 0; k < counts[expert]; ++k)
      replicas.push_back({loads[expert] / static_cast<double>(counts[expert]), expert});
  std::ranges::stable_sort(replicas, std::ranges::greater(), &Replica::load);
  return replicas;
}

/// Places the heaviest replicas first, each on the device with the smallest load that has a free slot.
inline ReplicaPlan place_greedily(std::span<const double> loads, std::vector<std::size_t> counts,
                                  std::size_t n_devices, std::size_t slots) {
  ReplicaPlan plan{std::move(counts), std::vector<Device>(n_devices)};
  std::vector<double> load(n_devices);
  for (const Replica& replica : replicas_of(loads, plan.replicas)) {
    std::optional<std::size_t> best;
    for (std::size_t device = 0; device < n_devices; ++device)
      if (plan.devices[device].size() < slots && (!best || load[device] < load[*best])) best = device;
    plan.devices[*best].push_back(replica.expert);
    load[*best] += replica.load;
  }
  plan.max_load = std::ranges::max(load);
  return plan;
}

/// Gives each further replica to the expert whose replicas have the largest load.
inline std::vector<std::size_t> equal_shares(std::span<const double> loads, std::size_t n_replicas) {
  std::vector<std::size_t> counts(loads.size(), 1);
  for (std::size_t extra = loads.size(); extra < n_replicas; ++extra) {
    std::size_t heaviest = 0;
    for (std::size_t expert = 1; expert < loads.size(); ++expert)
      if (loads[expert] * static_cast<double>(counts[heaviest]) >
          loads[heaviest] * static_cast<double>(counts[expert]))
        heaviest = expert;
    ++counts[heaviest];
  }
  return counts;
}

/// Places replicas with Plimsoll's search: each occupies one byte, and each device has as many bytes as
/// slots.
inline ReplicaPlan improve(std::span<const double> loads, const ReplicaPlan& start, std::size_t slots) {
  namespace balance = plimsoll::balance;
  balance::LDStats stats;
  stats.procs.resize(start.devices.size());
  std::vector<std::size_t> expert_of;
  for (std::size_t device = 0; device < start.devices.size(); ++device) {
    for (const std::size_t expert : start.devices[device]) {
      stats.obj_data.push_back({loads[expert] / static_cast<double>(start.replicas[expert]), true});
      stats.memory.push_back({.footprint_bytes = 1});
      stats.from_proc.push_back(static_cast<std::int32_t>(device));
      expert_of.push_back(expert);
    }
  }
  stats.to_proc = stats.from_proc;
  balance::StrategyRegistry::builtin()
      .create("ClusterLB", {{"max_memory_bytes", std::to_string(slots)}, {"effort", "200000"}})
      ->work(stats);
  ReplicaPlan plan{start.replicas, std::vector<Device>(start.devices.size())};
  for (std::size_t replica = 0; replica < expert_of.size(); ++replica)
    plan.devices[static_cast<std::size_t>(stats.to_proc[replica])].push_back(expert_of[replica]);
  plan.max_load = std::ranges::max(balance::finish_times(stats, stats.to_proc));
  return plan;
}

/// Distributes replicas of experts to the slots of devices so that the maximum load of a device is small.
/// Anneals the numbers of replicas, of which each step moves one from an expert to another, with a greedy
/// placement, and then improves the placement. Each device has `slots` slots; every slot is used.
inline ReplicaPlan plan_replicas(std::span<const double> loads, std::size_t n_devices, std::size_t slots) {
  constexpr int steps = 20'000;
  ReplicaPlan current = place_greedily(loads, equal_shares(loads, n_devices * slots), n_devices, slots);
  ReplicaPlan best = current;
  const double mean = std::accumulate(loads.begin(), loads.end(), 0.0) / static_cast<double>(n_devices);
  std::mt19937_64 random(1);
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1.0p-53; };
  for (int step = 0; step < steps && best.max_load > mean * 1.0001; ++step) {
    std::vector<std::size_t> counts = current.replicas;
    const std::size_t from = random() % loads.size();
    const std::size_t to = random() % loads.size();
    if (from == to || counts[from] == 1) continue;
    --counts[from];
    ++counts[to];
    ReplicaPlan tried = place_greedily(loads, std::move(counts), n_devices, slots);
    const double temperature = 0.1 * mean * (1 - static_cast<double>(step) / steps);
    if (tried.max_load > current.max_load &&
        uniform() >= std::exp((current.max_load - tried.max_load) / temperature))
      continue;
    current = std::move(tried);
    if (current.max_load < best.max_load) best = current;
  }
  ReplicaPlan improved = improve(loads, best, slots);
  return improved.max_load < best.max_load ? improved : best;
}

/// Returns the number of replicas of `device` that `before` lacks, and which therefore have to be loaded.
inline std::size_t replicas_to_load(const Device& device, Device before) {
  std::size_t missing = 0;
  for (const std::size_t expert : device) {
    const auto found = std::ranges::find(before, expert);
    if (found == before.end())
      ++missing;
    else
      before.erase(found);
  }
  return missing;
}

/// Orders the devices of a plan so that they differ little from the devices before: repeatedly chooses the
/// pair of devices that has most experts in common. Returns the number of replicas that have to be loaded.
inline std::size_t keep_in_place(ReplicaPlan& plan, const std::vector<Device>& before) {
  struct Pair {
    std::size_t missing, device, place;
  };
  std::vector<Pair> pairs;
  for (std::size_t device = 0; device < plan.devices.size(); ++device)
    for (std::size_t place = 0; place < before.size(); ++place)
      pairs.push_back({replicas_to_load(plan.devices[device], before[place]), device, place});
  std::ranges::stable_sort(pairs, {}, &Pair::missing);
  std::vector<bool> placed(plan.devices.size());
  std::vector<bool> taken(before.size());
  std::vector<Device> ordered(plan.devices.size());
  std::size_t missing = 0;
  for (const Pair& pair : pairs) {
    if (placed[pair.device] || taken[pair.place]) continue;
    placed[pair.device] = taken[pair.place] = true;
    ordered[pair.place] = plan.devices[pair.device];
    missing += pair.missing;
  }
  plan.devices = std::move(ordered);
  return missing;
}
