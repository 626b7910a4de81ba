#include "runtime/balancing/decide_in_rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/hash.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "runtime/balancing/mpi_rounds.hpp"
#include "runtime/balancing/rank_edges.hpp"
#include "runtime/recording/object_registry.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

void expect_unique(const RankStats& stats, std::int32_t rank) {
  std::vector<ObjectId> migratable;
  migratable.reserve(stats.ids.size());
  for (std::size_t object = 0; object < stats.ids.size(); ++object)
    if (stats.may_migrate(object)) migratable.push_back(stats.ids[object]);
  std::ranges::sort(migratable);
  const auto twice = std::ranges::adjacent_find(migratable);
  if (twice == migratable.end()) return;
  throw support::usage_error(fmt::format("{} is registered twice on rank {}", name_of(*twice), rank),
                             "use unique numbers for objects");
}

/// Divides the objects and their columns into those that may migrate and the others.
balance::UnorderedRank parts_of(const RankStats& stats, const balance::StrategyNeeds& needs) {
  balance::UnorderedRank parts;
  const bool has_positions = needs.positions && stats.n_axes > 0;
  const bool has_memory = needs.memory && !stats.memory.empty();
  parts.n_axes = has_positions ? stats.n_axes : 0;
  for (std::uint32_t object = 0; object < stats.ids.size(); ++object) {
    const bool may_migrate = stats.may_migrate(object);
    const auto load_s = static_cast<balance::LBRealType>(stats.loads_s[object]);
    (may_migrate ? parts.migratable : parts.non_migratable)
        .push_back({static_cast<double>(load_s), static_cast<std::uint64_t>(stats.ids[object]), object});
    for (std::size_t axis = 0; may_migrate && axis < parts.n_axes; ++axis)
      parts.positions.push_back(stats.positions[std::size_t{object} * parts.n_axes + axis]);
    if (has_memory) (may_migrate ? parts.memory : parts.staying_memory).push_back(stats.memory[object]);
  }
  parts.blocks.reserve(stats.blocks.size());
  for (const RankBlock& block : stats.blocks)
    parts.blocks.push_back({static_cast<std::int32_t>(block.home), block.id, block.bytes});
  return parts;
}

/// Returns what a strategy needs to know about this rank. Collective.
balance::LocalRank local_rank(balance::RankRounds& rounds, const RankStats& stats,
                              const balance::StrategyNeeds& needs) {
  balance::UnorderedRank parts = parts_of(stats, needs);
  if (needs.communication) {
    std::vector<std::uint32_t> place_of(stats.ids.size());  // among the migratable objects
    for (std::uint32_t place = 0; place < parts.migratable.size(); ++place)
      place_of[parts.migratable[place].index] = place;
    ResolvedEdges resolved = resolve_edges(rounds, stats);
    parts.edges = std::move(resolved.edges);
    for (balance::LocalEdge& edge : parts.edges) edge.object = place_of[edge.object];
    parts.staying_edges = std::move(resolved.staying_edges);
  }
  constexpr std::uint64_t largest_node = std::numeric_limits<std::int64_t>::max();
  return balance::make_local_rank(rounds.first_local_rank(), stats.proc,
                                  static_cast<std::int64_t>(stats.host & largest_node), std::move(parts));
}

std::vector<LeavingObject> leaving_of(const balance::LocalRank& rank, std::int32_t self,
                                      std::int32_t n_ranks) {
  std::vector<LeavingObject> leaving;
  for (const balance::LocalObject& object : rank.objects) {
    if (object.new_rank < 0 || object.new_rank >= n_ranks)
      throw support::usage_error(fmt::format("the strategy places {} on rank {}, which does not exist",
                                             name_of(ObjectId{object.number}), object.new_rank));
    if (object.new_rank != self) leaving.push_back({object.index, object.new_rank});
  }
  std::ranges::sort(leaving, {}, &LeavingObject::object);
  return leaving;
}

/// Times of all ranks.
struct RankTimesOfPlan {
  double max_before_s = 0;
  double max_after_s = 0;
  double sum_after_s = 0;
};

void merge_times(RankTimesOfPlan& left, const RankTimesOfPlan& right) {
  left.max_before_s = std::max(left.max_before_s, right.max_before_s);
  left.max_after_s = std::max(left.max_after_s, right.max_after_s);
  left.sum_after_s += right.sum_after_s;
}

/// Range of the hashes of all ranks.
struct HashRange {
  std::uint64_t smallest = 0;
  std::uint64_t largest = 0;
};

void merge_range(HashRange& left, const HashRange& right) {
  left.smallest = std::min(left.smallest, right.smallest);
  left.largest = std::max(left.largest, right.largest);
}

/// Describes a strategy, without the parameters before the first one in which it differs from another: the
/// texts are long.
std::string described(std::string_view strategy, std::string_view other) {
  if (strategy.empty()) return "no strategy";
  const auto differs =
      static_cast<std::size_t>(std::ranges::mismatch(strategy, other).in1 - strategy.begin());
  const std::size_t parameters = strategy.find('(');
  const std::size_t parameter = strategy.substr(0, differs).rfind(',');
  if (parameter == std::string_view::npos || parameter < parameters) return support::in_quotes(strategy);
  return support::in_quotes(
      fmt::format("{}..{}", strategy.substr(0, parameters + 1), strategy.substr(parameter)));
}

}  // namespace

void expect_same_strategy(const mpi::Communicator& communicator, const std::string& strategy) {
  const std::uint64_t hash = support::hash_bytes(strategy);
  const HashRange all = communicator.all_reduce<&merge_range>(HashRange{hash, hash});
  if (all.smallest == all.largest) return;
  const std::string of_rank_0 = communicator.broadcast(strategy);
  mpi::agreed(communicator, [&] {
    if (strategy != of_rank_0)
      throw support::usage_error(fmt::format("different strategies: {} here, but {} on rank 0",
                                             described(strategy, of_rank_0), described(of_rank_0, strategy)),
                                 "use the same strategy and parameters on all ranks");
  });
}

std::vector<LeavingObject> decide_in_rounds(const mpi::Communicator& communicator, const RankStats& mine,
                                            const balance::StrategyNeeds& needs,
                                            balance::DistributedStrategy& strategy, std::int64_t max_moves,
                                            DecidedRank& decided) {
  const double sum_s = decided ? 0 : communicator.sum(sum_of_loads_s(mine));
  MpiRounds rounds(communicator);
  balance::LocalRank rank;
  std::vector<LeavingObject> leaving;
  rounds.agreed([&] {
    if (decided) {
      rank = *decided;
    } else {
      check(mine, needs);
      check_with_all(mine, sum_s, communicator.size());
      expect_unique(mine, communicator.rank());
      rank = local_rank(rounds, mine, needs);
      strategy.work(rounds, std::span(&rank, 1));
      decided = rank;
    }
    if (max_moves != std::numeric_limits<std::int64_t>::max())
      strategy.limit(rounds, max_moves, std::span(&rank, 1));
    leaving = leaving_of(rank, communicator.rank(), communicator.size());
  });
  return leaving;
}

void predict_times(const mpi::Communicator& communicator, const RankStats& mine, PlannedMigration& planned) {
  const auto finish_s = [&](double load_s) {
    return static_cast<double>(mine.proc.bg_walltime) + std::max(load_s, 0.0) / mine.proc.pe_speed;
  };
  const double after_s = finish_s(planned.outlook.load_s);
  const RankTimesOfPlan all = communicator.all_reduce<&merge_times>(
      RankTimesOfPlan{finish_s(planned.outlook.load_before_s), after_s, after_s});
  planned.plan.max_time_before_s = all.max_before_s;
  planned.plan.max_time_after_s = all.max_after_s;
  planned.plan.mean_time_s = all.sum_after_s / communicator.size();
}

}  // namespace plimsoll::runtime
