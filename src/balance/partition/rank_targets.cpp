#include "balance/partition/rank_targets.hpp"

#include <algorithm>

#include <plimsoll/balance/score.hpp>

#include "balance/partition/free_objects.hpp"
#include "balance/search/fair_share.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

// Number of rounds to find the common finish time (level). In each round, the loads of objects are capped at
// the maximum room at the level of the previous round.
constexpr int level_rounds = 8;

/// Load dimension of the problem.
struct Dimension {
  std::vector<Processor> processors;  ///< available ranks
  double level = 0;
  double heaviest = 0;
};

Dimension dimension_of(const LDStats& stats, const ProcArray& procs, const std::vector<std::int32_t>& ranks,
                       std::size_t index) {
  std::vector<double> fixed(stats.procs.size(), 0.0);
  if (index == 0) {
    for (const ProcInfo& proc : procs.procs) fixed[static_cast<std::size_t>(proc.proc_id)] = proc.overhead;
  } else {
    for (std::size_t object = 0; object < stats.obj_data.size(); ++object)
      if (!stats.obj_data[object].migratable)
        fixed[static_cast<std::size_t>(stats.from_proc[object])] += load_of(stats, object, index);
  }
  Dimension result;
  for (const std::int32_t rank : ranks)
    result.processors.push_back({fixed[static_cast<std::size_t>(rank)],
                                 index == 0 ? procs.procs[static_cast<std::size_t>(rank)].pe_speed : 1});

  double cut = -1;
  for (int round = 0; round < level_rounds; ++round) {
    double load = 0;
    for (std::size_t object = 0; object < stats.obj_data.size(); ++object) {
      if (!stats.obj_data[object].migratable) continue;
      const double whole = load_of(stats, object, index);
      load += round == 0 ? whole : std::min(whole, result.heaviest);
    }
    if (load == cut) break;
    cut = load;
    result.level = fair_level(result.processors, load);
    for (result.heaviest = 0; const Processor& processor : result.processors)
      result.heaviest = std::max(result.heaviest, processor.room_below(result.level));
  }
  return result;
}

}  // namespace

RankTargets rank_targets(const LDStats& stats, const ProcArray& procs, double tolerance,
                         std::size_t n_dimensions) {
  std::vector<std::int32_t> available;
  for (const ProcInfo& proc : procs.procs)
    if (proc.available) available.push_back(proc.proc_id);
  std::vector<Dimension> dimensions;
  for (std::size_t index = 0; index < n_dimensions; ++index)
    dimensions.push_back(dimension_of(stats, procs, available, index));

  RankTargets targets;
  targets.latest_finish_s = std::max(tolerance * procs.average_load(), lower_bound(stats, procs).time_s);
  for (const Dimension& dimension : dimensions) targets.heaviest.push_back(dimension.heaviest);
  for (std::size_t i = 0; i < available.size(); ++i) {
    if (dimensions[0].heaviest > 0 && dimensions[0].processors[i].room_below(dimensions[0].level) <= 0)
      continue;
    targets.ranks.push_back(available[i]);
    for (std::size_t index = 0; index < n_dimensions; ++index) {
      const Processor& processor = dimensions[index].processors[i];
      const double latest = index == 0 ? targets.latest_finish_s : tolerance * dimensions[index].level;
      targets.rooms.push_back(processor.room_below(dimensions[index].level));
      targets.capacities.push_back(processor.room_below(latest));
    }
  }

  targets.shares.n_dimensions = static_cast<std::int32_t>(n_dimensions);
  for (std::size_t i = 0; i < targets.rooms.size(); ++i) {
    double sum = 0;
    for (std::size_t j = i % n_dimensions; j < targets.rooms.size(); j += n_dimensions)
      sum += targets.rooms[j];
    targets.shares.values.push_back(sum > 0 ? targets.rooms[i] / sum
                                            : 1.0 / static_cast<double>(targets.ranks.size()));
  }
  return targets;
}

}  // namespace plimsoll::balance
