#include "runtime/balancing/planned_migration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <plimsoll/balance/decision.hpp>
#include <plimsoll/balance/distributed_strategy.hpp>
#include <plimsoll/balance/limits.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/mpi/sparse_exchange.hpp>
#include <plimsoll/runtime/plan.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/balancing/decide_in_rounds.hpp"
#include "runtime/balancing/rank_stats.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

/// Decision of a strategy that runs on one rank. Each rank knows what concerns its own objects.
struct CentralDecision {
  MigrationPlan plan;                  ///< without exports and imports
  std::vector<LeavingObject> leaving;  ///< in ascending order of `object`
};
constexpr int root = 0;

double mean(const std::vector<double>& times) {
  return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
}

/// Time of a phase, and the mean time of a rank.
struct PhaseTimes {
  double max_s = 0;
  double mean_s = 0;
};

/// Returns the times of the slowest resource: the device of a rank works at the same time as its processor.
PhaseTimes phase_times(const balance::LDStats& stats, std::span<const std::int32_t> placement) {
  PhaseTimes times{balance::phase_time(stats, placement), mean(balance::finish_times(stats, placement))};
  std::vector<double> of_rank(stats.procs.size());
  for (const balance::LoadDimension& dimension : stats.more_loads) {
    std::ranges::fill(of_rank, 0.0);
    for (std::size_t object = 0; object < placement.size(); ++object)
      of_rank[static_cast<std::size_t>(placement[object])] +=
          static_cast<double>(dimension.of_object[object]);
    times.max_s = std::max(times.max_s, std::ranges::max(of_rank));
    times.mean_s = std::max(times.mean_s, mean(of_rank));
  }
  return times;
}

/// Runs the strategy on the gathered stats, takes at most `max_moves` of its migrations, and fills the
/// members of the plan that all ranks share.
MigrationPlan decide(balance::Strategy& strategy, balance::LDStats& stats, std::int64_t max_moves) {
  strategy.work(stats);
  balance::Limits limits;
  limits.max_moves = max_moves;
  if (limits.limit_moves()) stats.to_proc = balance::apply_limits(limits, stats, stats.to_proc);
  const PhaseTimes after = phase_times(stats, stats.to_proc);
  MigrationPlan plan{.strategy = strategy.name(),
                     .max_time_before_s = phase_times(stats, stats.from_proc).max_s,
                     .max_time_after_s = after.max_s,
                     .mean_time_s = after.mean_s};
  const std::vector<balance::Remark> remarks = balance::remarks_on(strategy, stats);
  if (!remarks.empty()) plan.remark = remarks.front().text;
  for (std::size_t object = 0; object < stats.to_proc.size(); ++object)
    plan.moves += stats.to_proc[object] != stats.from_proc[object] ? 1 : 0;
  if (plan.empty() && plan.remark.empty() && strategy.minimises_score())
    plan.remark = fmt::format("{} found no better placement.", strategy.name());
  return plan;
}

/// Packs what a rank needs to know: the shared members, and the objects that leave it.
std::vector<std::byte> message_to(const GatheredStats& gathered, int rank, const MigrationPlan& shared) {
  const std::vector<LeavingObject> leaving = gathered.leaving(rank);
  mpi::Packer packer;
  packer.reserve(leaving.size() * sizeof(LeavingObject) + shared.strategy.size() + shared.remark.size() + 64);
  packer(shared.strategy, shared.moves, shared.max_time_before_s, shared.max_time_after_s, shared.mean_time_s,
         shared.remark, leaving);
  return packer.take();
}

CentralDecision unpack(std::span<const std::byte> message) {
  CentralDecision decision;
  auto& [plan, leaving] = decision;
  mpi::Unpacker unpacker(message);
  unpacker(plan.strategy, plan.moves, plan.max_time_before_s, plan.max_time_after_s, plan.mean_time_s,
           plan.remark, leaving);
  return decision;
}

/// Gathers the stats of all ranks on rank 0, runs the strategy there, and tells each rank about its own
/// objects. Collective. `strategy` must be made from the same specification on all ranks. Only the columns
/// that it needs are sent. Throws on all ranks the Error that the strategy throws, and Error (usage) if the
/// stats lack a column that it needs. Cost on rank 0: 24 bytes per object, the columns that the strategy
/// needs, and the memory of the strategy.
CentralDecision decide_centrally(const mpi::Communicator& communicator, const RankStats& mine,
                                 balance::Strategy& strategy, std::int64_t max_moves) {
  const std::int64_t objects = communicator.sum(static_cast<std::int64_t>(mine.loads_s.size()));
  const double sum_s = communicator.sum(sum_of_loads_s(mine));
  GatheredStats gathered(strategy.needs());
  std::vector<std::byte> message;
  mpi::agreed(communicator, [&] {
    if (communicator.rank() == root) gathered.reserve(objects, communicator.size());
    message = pack(mine, strategy.needs());
    check_with_all(mine, sum_s, communicator.size());
  });
  mpi::agreed(communicator, [&] {
    mpi::gather(communicator, message, root,
                [&](int, std::span<const std::byte> bytes) { gathered.add_rank(bytes); });
  });
  message = {};
  MigrationPlan shared;
  mpi::agreed(communicator, [&] {
    if (communicator.rank() == root) shared = decide(strategy, gathered.complete(), max_moves);
  });
  CentralDecision decision;
  mpi::agreed(communicator, [&] {
    decision = unpack(mpi::scatter(
        communicator, [&](int rank) { return message_to(gathered, rank, shared); }, root));
  });
  return decision;
}

/// Tells a rank about the objects that come to it from one other rank.
struct Notice {
  double load_s = 0;
  double measured_load_s = 0;
  double device_load_s = 0;
  std::vector<ObjectId> objects;
  std::vector<double> bytes;  ///< of the objects; those beyond the end are unknown

  template <class Archive>
  void serialize(Archive& archive) {
    archive(load_s, measured_load_s, device_load_s, objects, bytes);
  }
};

/// Removes an object of each collection whose objects would all leave this rank.
void keep_last_elements(const RankStats& mine, std::vector<LeavingObject>& leaving) {
  if (mine.collections.empty()) return;
  std::unordered_map<std::uint64_t, std::size_t> remaining;
  for (const std::uint64_t collection : mine.collections) ++remaining[collection];
  std::erase_if(leaving, [&](const LeavingObject& object) {
    std::size_t& left = remaining[mine.collections[object.object]];
    if (left == 1) return true;
    --left;
    return false;
  });
}

/// Migrations of some ranks.
struct Volume {
  std::int64_t moves = 0;
  balance::MigrationVolume busiest;
};

void add_volume(Volume& left, const Volume& right) {
  left.moves += right.moves;
  left.busiest.objects = std::max(left.busiest.objects, right.busiest.objects);
  left.busiest.bytes = std::max(left.busiest.bytes, right.busiest.bytes);
}

/// Returns the bytes that the migration of an object sends; 0 if unknown.
double migration_bytes(const MigrationRules& rules, const RankStats& stats, std::size_t object) {
  if (rules.size_bytes) return rules.size_bytes(stats.ids[object]);
  return stats.memory.empty() ? 0 : stats.memory[object].migration_bytes();
}

double total(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double measured_load_s(const RankStats& stats, std::size_t object) {
  return stats.measured_s.empty() ? stats.loads_s[object] : stats.measured_s[object];
}

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

/// Returns a strategy with all its parameters.
std::string text_of(const balance::Strategy& strategy) {
  balance::StrategySpec spec{strategy.name()};
  for (const auto& [name, value] : strategy.parameters().values())
    spec.parameters.emplace_back(name, balance::to_string(value));
  return balance::to_string(spec);
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

PlannedMigration announce(const mpi::Communicator& communicator, const RankStats& mine,
                          std::vector<LeavingObject> leaving, const MigrationRules& rules,
                          MigrationPlan plan) {
  PlannedMigration planned{.plan = std::move(plan), .outlook = {}};
  LoadOutlook& outlook = planned.outlook;
  outlook.load_s = outlook.load_before_s = total(mine.loads_s);
  outlook.measured_load_s = outlook.measured_load_before_s =
      mine.measured_s.empty() ? outlook.load_s : total(mine.measured_s);
  outlook.device_load_s = outlook.device_load_before_s = total(mine.device_s);
  Volume volume;
  const auto write = [&](mpi::Messages& messages) {
    if (rules.keep_last_element) keep_last_elements(mine, leaving);
    planned.plan.exports.reserve(leaving.size());
    std::vector<Notice> notices(static_cast<std::size_t>(communicator.size()));
    for (const LeavingObject& object : leaving) {
      const ObjectId id = mine.ids[object.object];
      const double bytes = migration_bytes(rules, mine, object.object);
      const double load_s = mine.loads_s[object.object];
      const double measured_s = measured_load_s(mine, object.object);
      const double device_s = mine.device_s.empty() ? 0 : mine.device_s[object.object];
      planned.plan.exports.push_back({id, communicator.rank(), object.to, bytes});
      volume.busiest.bytes += bytes;
      outlook.load_s -= load_s;
      outlook.measured_load_s -= measured_s;
      outlook.device_load_s -= device_s;
      Notice& notice = notices[static_cast<std::size_t>(object.to)];
      notice.load_s += load_s;
      notice.measured_load_s += measured_s;
      notice.device_load_s += device_s;
      notice.objects.push_back(id);
      if (bytes > 0) notice.bytes.resize(notice.objects.size());
      if (bytes > 0) notice.bytes.back() = bytes;
    }
    for (int rank = 0; rank < communicator.size(); ++rank)
      if (const Notice& notice = notices[static_cast<std::size_t>(rank)]; !notice.objects.empty())
        messages[rank](notice);
  };
  mpi::exchange_messages(communicator, write, [&](int from, mpi::Unpacker& message) {
    Notice notice;
    message(notice);
    outlook.load_s += notice.load_s;
    outlook.measured_load_s += notice.measured_load_s;
    outlook.device_load_s += notice.device_load_s;
    for (std::size_t k = 0; k < notice.objects.size(); ++k) {
      const double bytes = k < notice.bytes.size() ? notice.bytes[k] : 0;
      volume.busiest.bytes += bytes;
      planned.plan.imports.push_back({notice.objects[k], from, communicator.rank(), bytes});
    }
  });
  volume.moves = std::ssize(planned.plan.exports);
  volume.busiest.objects = volume.moves + std::ssize(planned.plan.imports);
  const Volume all = communicator.all_reduce<&add_volume>(volume);
  planned.plan.moves = all.moves;
  outlook.volume = all.busiest;
  return planned;
}

namespace {

PlannedMigration plan_centrally(const mpi::Communicator& communicator, const RankStats& mine,
                                balance::Strategy& strategy, const MigrationRules& rules) {
  CentralDecision decision = decide_centrally(communicator, mine, strategy, rules.max_moves);
  const bool has_moves = !decision.plan.empty();
  PlannedMigration planned =
      announce(communicator, mine, std::move(decision.leaving), rules, std::move(decision.plan));
  MigrationPlan& plan = planned.plan;
  if (rules.keep_last_element) {  // some objects stay, so the strategy's prediction does not hold
    const double mine_s = planned.outlook.load_s / mine.proc.pe_speed + mine.proc.bg_walltime;
    const double waits_s = communicator.any(mine.n_subphases > 0) ? plan.max_time_after_s : 0;
    plan.max_time_after_s =
        std::max(waits_s, communicator.max(std::max(mine_s, planned.outlook.device_load_s)));
  }
  if (has_moves && plan.empty())
    plan.remark = "Only objects that are the last of their collection on their rank were to migrate.";
  return planned;
}

/// Runs the strategy on all ranks. The times before and after are those of the loads that strategies see.
PlannedMigration plan_in_rounds(const mpi::Communicator& communicator, const RankStats& mine,
                                const balance::StrategyNeeds& needs, balance::DistributedStrategy& strategy,
                                const MigrationRules& rules) {
  DecidedRank decided;
  std::vector<LeavingObject> leaving = decide_in_rounds(communicator, mine, needs, strategy, rules.max_moves,
                                                        rules.decided != nullptr ? *rules.decided : decided);
  MigrationPlan plan{.strategy = strategy.name()};
  plan.remark = strategy.remarks().front().text;
  PlannedMigration planned = announce(communicator, mine, std::move(leaving), rules, std::move(plan));
  predict_times(communicator, mine, planned);
  return planned;
}

}  // namespace

PlannedMigration plan_migration(const mpi::Communicator& communicator, const RankStats& mine,
                                balance::Strategy& strategy, const MigrationRules& rules) {
  if (balance::DistributedStrategy* const distributed = balance::distributed_part(strategy))
    return plan_in_rounds(communicator, mine, strategy.needs(), *distributed, rules);
  return plan_centrally(communicator, mine, strategy, rules);
}

PlannedMigration timed_decision(const mpi::Communicator& communicator,
                                const std::function<PlannedMigration()>& decide) {
  const auto begin = std::chrono::steady_clock::now();
  PlannedMigration planned = decide();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  planned.plan.decision_s = communicator.max(elapsed.count());
  return planned;
}

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
  expect_same_strategy(ranks, text_of(*strategy));
  return timed_decision(ranks, [&] { return plan_migration(ranks, stats, *strategy); }).plan;
}

}  // namespace plimsoll::runtime
