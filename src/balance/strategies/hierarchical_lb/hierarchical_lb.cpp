#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/search/loads.hpp"
#include "balance/strategies/builtin.hpp"
#include "balance/strategies/greedy_lb/greedy_lb.hpp"
#include "balance/strategies/refine_lb/refine_lb.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Ranks of each node.
struct Nodes {
  std::vector<std::vector<std::int32_t>>
      ranks;                          ///< ranks per node, ascending; nodes sorted by their first rank
  std::vector<std::int32_t> node_of;  ///< node of each rank
};

/// Function that sorts the objects of one node into the order in which they leave it.
using LeavingOrder = std::function<void(std::vector<LoadedObject>&)>;

namespace {

/// Returns the nodes as processors. Their background load includes the load of non-migratable objects on
/// their ranks.
LDStats node_stats(const LDStats& stats, const Nodes& nodes) {
  const ProcArray procs(stats);
  LDStats result;
  for (const std::vector<std::int32_t>& ranks : nodes.ranks) {
    double speed = 0;
    double work = 0;
    for (const std::int32_t rank : ranks) {
      const ProcInfo& proc = procs.procs[at(rank)];
      if (!proc.available) continue;
      speed += proc.pe_speed;
      work += proc.overhead * proc.pe_speed;
    }
    ProcStats node;
    node.available = speed > 0;
    if (node.available) {
      node.pe_speed = speed;
      node.bg_walltime = static_cast<LBRealType>(work / speed);
    }
    result.procs.push_back(node);
  }
  result.obj_data = stats.obj_data;
  for (LDObjData& object : result.obj_data)
    if (!object.migratable) object.walltime = 0;
  result.from_proc.reserve(stats.from_proc.size());
  for (const std::int32_t rank : stats.from_proc) result.from_proc.push_back(nodes.node_of[at(rank)]);
  return result;
}

std::vector<LoadedObject> give_away(std::vector<LoadedObject> objects, ProcInfo& proc, double keep_s,
                                    const LeavingOrder& order) {
  order(objects);
  std::vector<LoadedObject> given;
  std::vector<LoadedObject> kept;
  for (const LoadedObject& item : objects) {
    const bool fits = !proc.available || proc.total_load - item.load / proc.pe_speed >= keep_s;
    (fits ? given : kept).push_back(item);
    if (fits) proc.total_load -= item.load / proc.pe_speed;
  }
  const double excess = (proc.total_load - keep_s) * proc.pe_speed;
  if (!proc.available || excess <= 0) return given;
  const auto lightest_enough = std::ranges::min_element(
      kept, {}, [&](const LoadedObject& item) { return std::pair(item.load < excess, item.load); });
  if (lightest_enough == kept.end() || lightest_enough->load < excess) return given;
  given.push_back(*lightest_enough);
  proc.total_load -= lightest_enough->load / proc.pe_speed;
  return given;
}

/// Groups the ranks by ProcStats::node; ranks whose node is unknown are separate nodes.
Nodes nodes_of(const LDStats& stats) {
  Nodes nodes;
  std::map<std::int32_t, std::int32_t> number_of;
  for (std::int32_t rank = 0; rank < stats.count(); ++rank) {
    auto node = static_cast<std::int32_t>(nodes.ranks.size());
    const std::int32_t host = stats.procs[at(rank)].node;
    if (host >= 0) node = number_of.emplace(host, node).first->second;
    if (at(node) == nodes.ranks.size()) nodes.ranks.emplace_back();
    nodes.ranks[at(node)].push_back(rank);
    nodes.node_of.push_back(node);
  }
  return nodes;
}

/// Returns the node of each object after balancing whole nodes; non-migratable objects stay. A node counts as
/// one processor with the total speed of its available ranks. Nodes that finish later than `keep` times the
/// average give objects away until they finish by then. They give away objects in `order`, except objects
/// heavier than the remaining excess, and finally the lightest object that is sufficient. These objects go,
/// heaviest first, to the nodes that finish them first. If nodes then finish later than `allowed` times the
/// average, the result of RefineLB is used if it is better. The stats must have an available rank. Ignores
/// more_loads.
std::vector<std::int32_t> place_on_nodes(const LDStats& stats, const Nodes& nodes, double keep,
                                         double allowed, const LeavingOrder& order) {
  PLIMSOLL_EXPECT(stats.n_migrateobjs() == 0 || std::ranges::any_of(stats.procs, &ProcStats::available));
  LDStats of_nodes = node_stats(stats, nodes);
  ProcArray procs(of_nodes);
  ObjGraph graph(of_nodes, GraphEdges::ignore);
  const double keep_s = keep * procs.average_load();
  const auto gives = [&](const ProcInfo& node) { return !node.available || node.total_load > keep_s; };

  std::vector<std::vector<LoadedObject>> givers(nodes.ranks.size());
  for (std::uint32_t object = 0; object < graph.n_vertices(); ++object)
    if (graph.migratable(object) && gives(procs.procs[at(graph.current_pe(object))]))
      givers[at(graph.current_pe(object))].push_back({graph.compute_load(object), object});
  std::vector<LoadedObject> given;
  for (std::size_t node = 0; node < givers.size(); ++node)
    if (!givers[node].empty())
      std::ranges::copy(give_away(std::move(givers[node]), procs.procs[node], keep_s, order),
                        std::back_inserter(given));
  sort_by_descending_load(given);
  place_greedily(std::move(given), graph, procs);
  graph.convert_decisions(of_nodes);

  const double allowed_s =
      std::max(allowed * procs.average_load(), finish_time_bound(of_nodes, procs).time_s);
  if (procs.max_load() <= allowed_s) return std::move(of_nodes.to_proc);
  std::vector<std::int32_t> greedy = of_nodes.to_proc;
  delegate_to_refinement(of_nodes, allowed);
  return balance_score(of_nodes, of_nodes.to_proc) < balance_score(of_nodes, greedy) ? of_nodes.to_proc
                                                                                     : greedy;
}

// Number of two-rank splits to try within each node if migrations and swaps are not sufficient.
constexpr std::int32_t group_splits_per_rank = 16;

constexpr std::array orders = {"LoadPerByte", "LoadOverLessThan", "LoadOverGreaterThan", "LoadOverOneEach"};

void heaviest_first(std::vector<LoadedObject>& objects) {
  sort_by_descending_load(objects);
}

void lightest_first(std::vector<LoadedObject>& objects) {
  sort_by_descending_load(objects);
  std::ranges::reverse(objects);
}

/// Orders objects by taking one from each bin in turn, the heaviest bin first. Loads within a bin differ by
/// at most a factor of two.
void one_of_each_bin(std::vector<LoadedObject>& objects) {
  sort_by_descending_load(objects);
  std::map<int, std::size_t> size_of_bin;
  std::vector<std::pair<std::size_t, LoadedObject>> by_round;
  by_round.reserve(objects.size());
  for (const LoadedObject& item : objects)
    by_round.emplace_back(size_of_bin[item.load > 0 ? std::ilogb(item.load) : -10'000]++, item);
  std::ranges::stable_sort(by_round, {}, [](const auto& entry) { return entry.first; });
  for (std::size_t i = 0; i < objects.size(); ++i) objects[i] = by_round[i].second;
}

/// Orders objects by descending load per byte; ties, such as objects of unknown size, by descending load.
void most_load_per_byte_first(const LDStats& stats, std::vector<LoadedObject>& objects) {
  if (stats.memory.empty()) return heaviest_first(objects);
  std::ranges::sort(objects, {}, [&](const LoadedObject& item) {
    const double bytes_per_load = item.load > 0 ? stats.migration_bytes(item.object) / item.load
                                                : std::numeric_limits<double>::infinity();
    return std::tuple(bytes_per_load, -item.load, item.object);
  });
}

LeavingOrder leaving_order(const std::string& name, const LDStats& stats) {
  if (name == "LoadOverLessThan") return lightest_first;
  if (name == "LoadOverGreaterThan") return heaviest_first;
  if (name == "LoadOverOneEach") return one_of_each_bin;
  return [&stats](std::vector<LoadedObject>& objects) { most_load_per_byte_first(stats, objects); };
}

/// Subproblem of one node: its ranks, and the objects that it should have. Objects from other nodes are on an
/// additional processor, which they have to leave.
struct NodeProblem {
  LDStats stats;
  std::vector<std::uint32_t> objects;
};

std::vector<NodeProblem> node_problems(const LDStats& stats, const Nodes& nodes,
                                       const std::vector<std::int32_t>& node_of_object) {
  std::vector<NodeProblem> problems(nodes.ranks.size());
  std::vector<std::int32_t> index_of(stats.procs.size());
  for (std::size_t node = 0; node < problems.size(); ++node) {
    for (const std::int32_t rank : nodes.ranks[node]) {
      index_of[at(rank)] = problems[node].stats.count();
      problems[node].stats.procs.push_back(stats.procs[at(rank)]);
    }
    ProcStats elsewhere;
    elsewhere.available = false;
    problems[node].stats.procs.push_back(elsewhere);
  }
  for (std::uint32_t object = 0; object < stats.obj_data.size(); ++object) {
    const auto from = at(stats.from_proc[object]);
    const std::int32_t node = node_of_object[object];
    NodeProblem& problem = problems[at(node)];
    problem.objects.push_back(object);
    problem.stats.obj_data.push_back(stats.obj_data[object]);
    problem.stats.from_proc.push_back(nodes.node_of[from] == node ? index_of[from]
                                                                  : problem.stats.count() - 1);
  }
  return problems;
}

/// Places the objects of one node so that its ranks finish by `allowed_s`, with few migrations if possible.
void place_within(LDStats& stats, double allowed_s) {
  const ProcArray procs(stats);
  if (procs.average_load() == 0 && !procs.must_evacuate()) {
    stats.to_proc = stats.from_proc;
    return;
  }
  const double tolerance = procs.average_load() > 0 ? allowed_s / procs.average_load() : 1;
  delegate_to(
      refine_swap_lb_info(), stats,
      {{"tolerance", fmt::format("{}", std::clamp(tolerance, 1.0, std::numeric_limits<double>::max()))},
       {"effort", fmt::format("{}", group_splits_per_rank * stats.count())}});
}

/// Balances the nodes against each other, then the ranks within each node, so that few bytes migrate between
/// nodes. If bytes are known, objects with the most load per byte leave first. The target maximum load is
/// `max` times the average. Nodes get half of that allowance, and RefineSwapLB balances within the nodes.
/// Balances walltime. One thread; O(n log n). Source: idea, names and parameter values from HierarchicalLB in
/// vt 1.6. Its tree of ranks does not represent nodes, and is not used here.
class HierarchicalLB : public Strategy {
 public:
  explicit HierarchicalLB(const Parameters& parameters)
      : Strategy("HierarchicalLB", parameters),
        min_(parameters.get<double>("min")),
        max_(tolerance_of("HierarchicalLB", parameters, "max")),
        auto_(parameters.get<bool>("auto")),
        order_(parameters.get<std::string>("strategy")) {
    if (!(min_ >= 0 && min_ <= max_))
      throw support::usage_error(fmt::format("invalid min {} and max {} of HierarchicalLB", min_, max_),
                                 "use 0 <= min <= max");
    if (std::ranges::find(orders, order_) == orders.end())
      throw invalid_parameter("HierarchicalLB", "strategy", order_,
                              "use LoadPerByte, LoadOverLessThan, LoadOverGreaterThan or LoadOverOneEach");
  }

  void work(LDStats& stats) override {
    const ProcArray procs(stats);
    procs.require_available();
    const double average_s = procs.average_load();
    target_ = average_s > 0 ? std::max(max_, finish_time_bound(stats, procs).time_s / average_s) : 0;
    ObjGraph graph(stats, GraphEdges::ignore);
    const Nodes nodes = nodes_of(stats);
    const double allowed_of_nodes = 1 + (max_ - 1) / 2;
    const std::vector<std::int32_t> node_of_object = place_on_nodes(
        stats, nodes, auto_ ? allowed_of_nodes : min_, allowed_of_nodes, leaving_order(order_, stats));

    std::vector<NodeProblem> problems = node_problems(stats, nodes, node_of_object);
    for (std::size_t node = 0; node < problems.size(); ++node) {
      auto& [of_node, objects] = problems[node];
      const std::vector<std::int32_t> available = available_ranks(of_node);
      if (available.size() != 1) place_within(of_node, max_ * procs.average_load());
      for (std::size_t i = 0; i < objects.size(); ++i) {
        const std::int32_t to = available.size() != 1 ? of_node.to_proc[i] : available.front();
        if (graph.migratable(objects[i])) graph.set_new_pe(objects[i], nodes.ranks[node][at(to)]);
      }
    }
    graph.convert_decisions(stats);
    keep_start_unless_better(*this, procs, stats);
  }

  ScoreTerms score_terms() const override { return ScoreTerms::of_load(false); }
  double target() const override { return target_; }

 private:
  double min_;
  double max_;
  bool auto_;
  std::string order_;
  double target_ = 0;
};

}  // namespace

StrategyInfo hierarchical_lb_info() {
  return {.name = "HierarchicalLB",
          .help = "balances nodes, then the ranks of each node; few migrations between nodes",
          .parameters =
              {{"min", 0.8, "share of the average load that an overloaded node keeps (if auto is false)"},
               {"max", 1.004, "target maximum load relative to the average"},
               {"auto", true, "whether nodes keep as much load as max allows, instead of the share min"},
               {"strategy", "LoadPerByte",
                "objects that migrate first: LoadPerByte (most load per migrated byte), LoadOverLessThan "
                "(lightest), LoadOverGreaterThan (heaviest), LoadOverOneEach (one of each size in turn)"}},
          .make = make_strategy<HierarchicalLB>,
          .needs = {.memory = true, .communication = false, .numbers = false},
          .trade_off = TradeOff::by_tolerance("max")};
}

}  // namespace plimsoll::balance
