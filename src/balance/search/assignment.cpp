#include "balance/search/assignment.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include <plimsoll/support/contract.hpp>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

std::vector<Pairing> merged(std::vector<Pairing> pairings) {
  std::ranges::stable_sort(pairings, {}, [](const Pairing& p) { return std::pair(p.row, p.column); });
  std::vector<Pairing> result;
  for (const Pairing& pairing : pairings) {
    if (!result.empty() && result.back().row == pairing.row && result.back().column == pairing.column) {
      result.back().value += pairing.value;
    } else {
      result.push_back(pairing);
    }
  }
  return result;
}

/// Finds the assignment by shortest augmenting paths: each row in turn gets a column on the cheapest
/// alternating path to a free column. Potentials keep reduced costs >= 0. Column 0 and row 0 mean none.
std::vector<std::int32_t> cheapest_assignment(const std::vector<double>& cost, std::size_t n) {
  PLIMSOLL_EXPECT(cost.size() == n * n);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> row_potential(n + 1, 0.0);
  std::vector<double> column_potential(n + 1, 0.0);
  std::vector<std::size_t> row_of(n + 1, 0);
  for (std::size_t row = 1; row <= n; ++row) {
    std::vector<double> distance(n + 1, infinity);
    std::vector<std::size_t> before(n + 1, 0);
    std::vector<bool> reached(n + 1, false);
    std::size_t column = 0;
    row_of[0] = row;
    do {
      reached[column] = true;
      const std::size_t from = row_of[column];
      std::size_t nearest = 0;
      for (std::size_t next = 1; next <= n; ++next) {
        if (reached[next]) continue;
        const double reduced = cost[(from - 1) * n + next - 1] - row_potential[from] - column_potential[next];
        if (reduced < distance[next]) {
          distance[next] = reduced;
          before[next] = column;
        }
        if (nearest == 0 || distance[next] < distance[nearest]) nearest = next;
      }
      const double step = distance[nearest];
      for (std::size_t other = 0; other <= n; ++other) {
        if (reached[other]) {
          row_potential[row_of[other]] += step;
          column_potential[other] -= step;
        } else {
          distance[other] -= step;
        }
      }
      column = nearest;
    } while (row_of[column] != 0);
    for (; column != 0; column = before[column]) row_of[column] = row_of[before[column]];
  }
  std::vector<std::int32_t> column_of(n);
  for (std::size_t column = 1; column <= n; ++column)
    column_of[row_of[column] - 1] = static_cast<std::int32_t>(column - 1);
  return column_of;
}

std::vector<std::int32_t> greedy_assignment(std::vector<Pairing> pairings, std::size_t n) {
  std::ranges::stable_sort(pairings, std::ranges::greater(), &Pairing::value);
  std::vector<std::int32_t> column_of(n, -1);
  std::vector<bool> taken(n, false);
  for (const Pairing& pairing : pairings) {
    if (pairing.value <= 0) break;
    std::int32_t& column = column_of[at(pairing.row)];
    if (column >= 0 || taken[at(pairing.column)]) continue;
    column = pairing.column;
    taken[at(pairing.column)] = true;
  }
  return column_of;
}

namespace {

constexpr std::size_t max_ranks_exactly = 256;

/// Returns the new rank of each of the equal `ranks`. `kept` contains the value that stays in place if one
/// rank (row) gets the number of another (column). Rows and columns are indices into `ranks`.
std::vector<std::int32_t> relabelled(const std::vector<std::int32_t>& ranks, std::vector<Pairing> kept) {
  const std::size_t n = ranks.size();
  std::vector<std::int32_t> column_of;
  if (n <= max_ranks_exactly) {
    std::vector<double> cost(n * n, 0.0);
    for (const Pairing& pairing : kept) cost[at(pairing.row) * n + at(pairing.column)] -= pairing.value;
    column_of = cheapest_assignment(cost, n);
  } else {
    column_of = greedy_assignment(merged(std::move(kept)), n);
  }
  std::vector<bool> taken(n, false);
  for (const std::int32_t column : column_of)
    if (column >= 0) taken[at(column)] = true;
  std::size_t free = 0;
  std::vector<std::int32_t> result;
  for (const std::int32_t column : column_of) {
    if (column < 0)
      while (taken[free]) ++free;
    result.push_back(ranks[column < 0 ? free++ : at(column)]);
  }
  return result;
}

}  // namespace

namespace {

bool needs_memory(const LDStats& stats, std::size_t object) {
  if (stats.memory.empty()) return false;
  const ObjMemory& memory = stats.memory[object];
  return memory.block != ObjMemory::no_block || memory.working_bytes > 0 || memory.serialized_bytes > 0;
}

}  // namespace

std::vector<std::int32_t> first_equal_ranks(const LDStats& stats, const WorkGoal& goal,
                                            const WorkState& fixed) {
  std::vector<std::int32_t> first_equal(stats.procs.size());
  std::iota(first_equal.begin(), first_equal.end(), 0);
  const bool nodes_matter =
      goal.limits.max_node_memory_bytes != Limits::unlimited ||
      goal.coefficients.beta_node.value_or(goal.coefficients.beta) != goal.coefficients.beta;
  std::vector<bool> special(stats.procs.size());  // whether a rank differs from others in more than its work
  for (std::size_t object = 0; object < stats.obj_data.size(); ++object)
    if (!stats.obj_data[object].migratable &&
        (goal.coefficients.weigh_traffic() || needs_memory(stats, object)))
      special[at(stats.from_proc[object])] = true;
  if (goal.coefficients.delta != 0)
    for (const SharedBlock& block : stats.blocks) special[at(block.home)] = true;

  std::vector<std::int32_t> firsts;  // first rank of each kind so far
  for (std::int32_t rank = 0; rank < stats.count(); ++rank) {
    const ProcStats& proc = stats.procs[at(rank)];
    if (!proc.available || special[at(rank)]) continue;
    const auto equals = [&](std::int32_t other) {
      if (nodes_matter && (proc.node < 0 || proc.node != stats.procs[at(other)].node)) return false;
      return fixed.work(rank) == fixed.work(other) && fixed.slope(rank) == fixed.slope(other) &&
             fixed.allows_the_same(rank, other);
    };
    const auto first = std::ranges::find_if(firsts, equals);
    if (first == firsts.end())
      firsts.push_back(rank);
    else
      first_equal[at(rank)] = *first;
  }
  return first_equal;
}

std::vector<std::int32_t> labels_of_equal_ranks(const LDStats& stats, const WorkGoal& goal,
                                                std::span<const Pairing> kept) {
  const WorkState fixed(stats, goal, non_migratable_only(stats));
  const std::vector<std::int32_t> first_equal = first_equal_ranks(stats, goal, fixed);
  std::vector<std::vector<std::int32_t>> ranks(stats.procs.size());  // equal ranks of each first rank
  std::vector<std::int32_t> index_of(stats.procs.size());  // index of each rank among its equal ranks
  for (std::int32_t rank = 0; rank < stats.count(); ++rank) {
    auto& equals = ranks[at(first_equal[at(rank)])];
    index_of[at(rank)] = static_cast<std::int32_t>(equals.size());
    equals.push_back(rank);
  }
  std::vector<std::vector<Pairing>> kept_by(stats.procs.size());
  for (const Pairing& pairing : kept)
    if (first_equal[at(pairing.row)] == first_equal[at(pairing.column)])
      kept_by[at(first_equal[at(pairing.row)])].push_back(
          {index_of[at(pairing.row)], index_of[at(pairing.column)], pairing.value});
  std::vector<std::int32_t> label(stats.procs.size());
  for (std::size_t first = 0; first < ranks.size(); ++first) {
    const std::vector<std::int32_t> renamed = relabelled(ranks[first], std::move(kept_by[first]));
    for (std::size_t i = 0; i < renamed.size(); ++i) label[at(ranks[first][i])] = renamed[i];
  }
  return label;
}

std::vector<std::int32_t> relabel_equal_ranks(const LDStats& stats, const WorkGoal& goal,
                                              std::vector<std::int32_t> placement) {
  double total_bytes = 0;
  for (std::size_t object = 0; object < placement.size(); ++object)
    total_bytes += stats.migration_bytes(object);
  std::vector<Pairing> kept;
  kept.reserve(placement.size());
  for (std::size_t object = 0; object < placement.size(); ++object)
    if (stats.obj_data[object].migratable)
      kept.push_back(
          {placement[object], stats.from_proc[object], total_bytes > 0 ? stats.migration_bytes(object) : 1});
  const std::vector<std::int32_t> label = labels_of_equal_ranks(stats, goal, kept);
  for (std::size_t object = 0; object < placement.size(); ++object)
    if (stats.obj_data[object].migratable) placement[object] = label[at(placement[object])];
  return placement;
}

}  // namespace plimsoll::balance
