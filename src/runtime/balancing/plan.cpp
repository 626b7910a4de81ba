#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/runtime/plan.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/balancing/planned_migration.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

std::vector<RankEdge> edges_of(const PlanObjects& objects) {
  std::unordered_map<ObjectId, std::size_t> here;
  for (std::size_t object = 0; object < objects.ids.size(); ++object)
    here.emplace(objects.ids[object], object);
  const auto end_of = [&](ObjectId id) -> RankEdgeEnd {
    const auto found = here.find(id);
    if (found != here.end()) return {found->second, RankEdgeEnd::Kind::object_here};
    return {static_cast<std::uint64_t>(id), RankEdgeEnd::Kind::object_elsewhere};
  };
  std::vector<RankEdge> edges;
  edges.reserve(objects.edges.size());
  for (const PlanEdge& edge : objects.edges)
    edges.push_back({end_of(edge.from), end_of(edge.to), edge.bytes, edge.messages});
  return edges;
}

void check(const PlanOptions& options, int rank) {
  if (!std::isfinite(options.speed) || options.speed <= 0)
    throw support::usage_error(fmt::format("invalid speed of rank {}: {}", rank, options.speed),
                               "pass a finite number > 0");
  if (!std::isfinite(options.background_s) || options.background_s < 0)
    throw support::usage_error(
        fmt::format("invalid background load of rank {}: {} s", rank, options.background_s),
        "pass a finite number >= 0");
}

RankStats stats_of(const PlanObjects& objects, const PlanOptions& options,
                   const balance::StrategyNeeds& needs) {
  RankStats stats;
  stats.proc.bg_walltime = static_cast<balance::LBRealType>(options.background_s);
  stats.proc.pe_speed = options.speed;
  stats.proc.available = options.available;
  stats.host = mpi::host_number();
  stats.ids.assign(objects.ids.begin(), objects.ids.end());
  stats.loads_s.assign(objects.loads_s.begin(), objects.loads_s.end());
  stats.migratable.assign(objects.migratable.begin(), objects.migratable.end());
  stats.positions.assign(objects.positions.begin(), objects.positions.end());
  stats.n_axes = static_cast<std::uint32_t>(std::max(objects.axes, 0));
  stats.memory.reserve(objects.sizes_bytes.size());
  for (const double bytes : objects.sizes_bytes)
    stats.memory.push_back({.footprint_bytes = bytes, .serialized_bytes = bytes});
  if (needs.communication) stats.edges = edges_of(objects);
  return stats;
}

}  // namespace

MigrationPlan plan(MPI_Comm communicator, const PlanObjects& objects, const PlanOptions& options) {
  return plan(mpi::Communicator(communicator), objects, options);
}

MigrationPlan plan(const mpi::Communicator& ranks, const PlanObjects& objects, const PlanOptions& options) {
  std::unique_ptr<balance::Strategy> strategy;
  RankStats stats;
  mpi::agreed(ranks, [&] {
    check(options, ranks.rank());
    strategy = balance::make_strategy(balance::StrategySpec::parse(options.strategy), options.work);
    stats = stats_of(objects, options, strategy->needs());
  });
  return timed_decision(ranks, [&] { return plan_migration(ranks, stats, *strategy); }).plan;
}

}  // namespace plimsoll::runtime
