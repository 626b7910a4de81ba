#include "balance/strategies/refine_lb/refine_lb.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "balance/search/assignment.hpp"
#include "balance/search/cluster_refinement.hpp"
#include "balance/search/loads.hpp"
#include "balance/search/memory_bound.hpp"
#include "balance/search/placement.hpp"
#include "balance/search/work_state.hpp"
#include "balance/strategies/builtin.hpp"
#include "balance/strategies/greedy_lb/greedy_lb.hpp"
#include "balance/strategies/refine_lb/pair_search.hpp"
#include "balance/strategies/refine_lb/shed.hpp"
#include "balance/vector_loads/vector_loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

struct Refined {
  double max_s;               ///< maximum finish time
  bool searched;              ///< whether migrations and swaps were not enough (search_pairs())
  std::size_t n_relocations;  ///< how often a rank made room for an object
};

std::int64_t n_moved(const LDStats& stats) {
  std::int64_t n = 0;
  for (std::size_t object = 0; object < stats.to_proc.size(); ++object)
    n += stats.to_proc[object] != stats.from_proc[object] ? 1 : 0;
  return n;
}

double max_finish(const LDStats& stats) {
  return std::ranges::max(finish_times(stats, stats.to_proc));
}

/// Best placement so far, and the criteria by which others replace it.
class Candidates {
 public:
  struct Candidate {
    std::vector<std::int32_t> placement;
    double max_s;
    std::int64_t n_moved;
  };

  /// Begins with stats.to_proc. If two placements miss the target, and the relative difference between their
  /// maximum finish times is below `small_gain`, the one with fewer migrations is better.
  Candidates(const LDStats& stats, double target_s, double small_gain)
      : target_s_(target_s), small_gain_(small_gain), best_(candidate(stats)) {}

  /// Prefers placements whose last rank finishes by `latest_s` to all others that miss the target.
  void prefer(double latest_s) { preferred_s_ = std::min(preferred_s_, latest_s * (1 + rounding_error)); }

  void consider(const LDStats& stats) {
    Candidate tried = candidate(stats);
    const bool fewer = tried.n_moved < best_.n_moved;
    if (tried.max_s <= target_s_ || reached()) {
      if (tried.max_s <= target_s_ && (fewer || !reached())) best_ = std::move(tried);
    } else if ((tried.max_s <= preferred_s_) != (best_.max_s <= preferred_s_)) {
      if (tried.max_s <= preferred_s_) best_ = std::move(tried);
    } else if (tried.max_s < best_.max_s * (1 - small_gain_) ||
               (fewer && tried.max_s <= best_.max_s * (1 + small_gain_))) {
      best_ = std::move(tried);
    }
  }

  const Candidate& best() const { return best_; }
  bool reached() const { return best_.max_s <= target_s_; }

 private:
  static Candidate candidate(const LDStats& stats) {
    return {stats.to_proc, max_finish(stats), balance::n_moved(stats)};
  }

  double target_s_;
  double small_gain_;
  double preferred_s_ = std::numeric_limits<double>::infinity();
  Candidate best_;
};

/// Returns whether another placement within the target may need fewer migrations: many objects migrated only
/// to make room for others, or a search migrated many objects, and comparing placements takes little time.
bool may_migrate_too_many(const Refined& refined, const LDStats& stats, const ProcArray& procs,
                          const RefineContext& context) {
  const auto moved = static_cast<double>(n_moved(stats));
  if (static_cast<double>(refined.n_relocations) > context.many_relocations * moved) return true;
  return refined.searched && procs.n_migratable() <= context.max_compared &&
         moved > context.many_moves * procs.n_migratable();
}

/// Returns when the last rank finishes if the heaviest objects are placed first, each on the rank that
/// finishes first.
double greedy_finish(const LDStats& stats) {
  ProcArray procs(stats);
  ObjGraph graph(stats, GraphEdges::ignore);
  procs.reset_total_load();
  place_greedily(migratable_by_descending_load(stats), graph, procs);
  return procs.max_load();
}

/// Returns `latest_s`, plus a margin for rounding errors. If finish times are multiples of a unit, the result
/// lies halfway between two multiples, or later, because no rank can finish between them.
double target_finish(double latest_s, const LDStats& stats, const ProcArray& procs) {
  const double target_s = latest_s * (1 + rounding_error);
  const double unit = finish_time_unit(stats, procs);
  return unit > 0 ? std::max(target_s, (std::floor(target_s / unit) + 0.5) * unit) : target_s;
}

Refined refine_from(std::vector<std::int32_t> start, double target_s, LDStats& stats, const ProcArray& procs,
                    const RefineContext& context) {
  Placement placement(stats, procs, std::move(start));
  if (procs.must_evacuate()) evacuate(placement);
  const std::size_t n_relocations = shed_excess(placement, target_s, procs.average_load(), context);
  const bool search = placement.max_finish() > target_s;
  if (search) search_pairs(placement, target_s, context);
  stats.to_proc = placement.assignment();
  return {placement.max_finish(), search, n_relocations};
}

/// Writes to stats.to_proc a placement in which all ranks finish by `target_s`, or as early as the search
/// achieves, after few migrations. Keeps the initial placement if it is within the target, or if the result
/// does not finish earlier, unless an object has to leave its rank.
Refined refine_to(double target_s, LDStats& stats, const ProcArray& procs, const RefineContext& context) {
  const double start_s = procs.max_load();
  if (!procs.must_evacuate() && start_s <= target_s) {
    stats.to_proc = stats.from_proc;
    return {start_s, false, 0};
  }
  const Refined refined = refine_from(stats.from_proc, target_s, stats, procs, context);
  if (procs.must_evacuate() || refined.max_s < start_s * (1 - rounding_error)) return refined;
  stats.to_proc = stats.from_proc;
  return {start_s, true, 0};
}

/// Returns objects without load to their ranks: their migrations cannot help.
void keep_objects_without_load(LDStats& stats) {
  for (std::size_t object = 0; object < stats.to_proc.size(); ++object)
    if (stats.obj_data[object].walltime == 0 &&
        stats.procs[static_cast<std::size_t>(stats.from_proc[object])].available)
      stats.to_proc[object] = stats.from_proc[object];
}

}  // namespace

RefineContext small_search(const ProcArray& procs) {
  RefineContext context;
  context.max_splits = std::max<std::uint64_t>(context.min_splits, procs.procs.size() / 2);
  return context;
}

double refine_within(double tolerance, LDStats& stats, const ProcArray& procs, const RefineContext& context) {
  PLIMSOLL_EXPECT(tolerance >= 1);
  const double bound_s = finish_time_bound(stats, procs).time_s;
  const double average_s = procs.average_load();
  const double target = average_s > 0 ? tolerance * bound_s / average_s : 0;
  const double target_s = target_finish(tolerance * bound_s, stats, procs);
  if (!procs.must_evacuate() && procs.max_load() <= target_s) {
    stats.to_proc = stats.from_proc;
    return target;
  }
  const double aim_s = target_finish(bound_s * (1 + context.aimed_share * (tolerance - 1)), stats, procs);
  const Refined refined = refine_to(aim_s, stats, procs, context);
  const double near_s = target_s * (1 + context.near);
  const bool reached = refined.max_s <= near_s;
  if (reached && !may_migrate_too_many(refined, stats, procs, context)) return target;

  Candidates candidates(stats, near_s, std::min(context.small_gain, tolerance - 1));
  RefineContext search = context;  // two searches per try share the splits
  search.max_splits /= 2 * context.max_tries;
  const auto refine = [&](double latest_s) {
    refine_to(latest_s, stats, procs, search);
    candidates.consider(stats);
  };
  const auto place_what_does_not_fit = [&](double latest_s) {
    keep_or_place(stats, latest_s);
    candidates.consider(stats);
    refine_from(stats.to_proc, latest_s, stats, procs, search);
    candidates.consider(stats);
  };
  if (!procs.must_evacuate()) {
    stats.to_proc = stats.from_proc;
    candidates.consider(stats);
  }
  place_what_does_not_fit(target_s);
  if (!candidates.reached()) {
    const bool few_objects = procs.n_migratable() <= context.max_compared;
    double greedy_s = greedy_finish(stats);
    if (few_objects) {
      refine(std::max(target_s, (1 + context.small_gain) * bound_s));
      delegate_to(greedy_lb_info(), stats);
      greedy_s = std::min(greedy_s, max_finish(stats));
      stats.to_proc = relabel_equal_ranks(stats, WorkGoal(), stats.to_proc);
      keep_objects_without_load(stats);
      candidates.consider(stats);
    }
    candidates.prefer(greedy_s);
    // A search for a maximum that is within reach needs fewer migrations than one for an impossible maximum.
    for (std::uint64_t k = 0; k < (few_objects ? context.max_tries : 1); ++k, ++search.seed) {
      const double known_s = std::min(candidates.best().max_s, greedy_s);
      const double latest_s =
          std::max(target_s, known_s * (k % 2 == 0 ? 1 + rounding_error : 1 - context.small_gain));
      refine(latest_s);
      place_what_does_not_fit(latest_s);
    }
  }
  stats.to_proc = candidates.best().placement;
  return target;
}

double refine_within(double tolerance, const Limits& limits, LDStats& stats, const ProcArray& procs) {
  const double target = refine_within(tolerance, stats, procs, small_search(procs));
  if (!limits.limit_memory() || stats.memory.empty() || within_memory(limits, stats, stats.to_proc))
    return target;
  const WorkGoal goal = WorkGoal::of_time(limits);
  const double bound_s = std::max(finish_time_bound(stats, procs).time_s, max_work_lower_bound(stats, goal));
  const std::optional<std::vector<std::int32_t>> start = evacuated(stats, goal);
  if (!start) throw cannot_evacuate();
  stats.to_proc = refine_clusters(stats, goal, target_finish(tolerance * bound_s, stats, procs), *start);
  return procs.average_load() > 0 ? tolerance * bound_s / procs.average_load() : 0;
}

namespace {

/// Refines the placement in all load dimensions and subphases. Returns the target.
double refine_vectors(LDStats& stats, const ProcArray& procs, double tolerance) {
  const VectorLoads loads(stats, procs);
  const double target = tolerance * std::max(1.0, loads.bound());
  VectorRanks ranks(stats, procs, loads, stats.from_proc);
  if (procs.must_evacuate()) evacuate_vectors(ranks);
  level_vectors(ranks, target);
  stats.to_proc = ranks.placement();
  return target;
}

/// Lowers the maximum load with few migrations: see refine_within() and shed_excess().
/// The target is `tolerance` times the lower bound. One thread; O(n + m log n) for m migrations, plus sorting
/// the objects of the processors involved.
class RefineLB : public Strategy {
 public:
  explicit RefineLB(const Parameters& parameters)
      : Strategy("RefineLB", parameters),
        tolerance_(tolerance_of("RefineLB", parameters)),
        limits_(parameters) {}

  void work(LDStats& stats) override {
    const ProcArray procs(stats);
    procs.require_available();
    target_ = has_vector_loads(stats) ? refine_vectors(stats, procs, tolerance_)
                                      : refine_within(tolerance_, limits_, stats, procs);
  }

  ScoreTerms score_terms() const override { return ScoreTerms::of_load(true); }

  double target() const override { return target_; }

 private:
  double tolerance_;
  Limits limits_;
  double target_ = 0;
};

/// Strategy for few objects per rank. Runs RefineLB first. Then pairs the rank that finishes last with one
/// partner after another, and redistributes the objects of the two optimally. Random swaps escape local
/// optima. Ends when the maximum is `tolerance` times the lower bound, or after `effort` splits. One thread.
class RefineSwapLB : public Strategy {
 public:
  explicit RefineSwapLB(const Parameters& parameters)
      : Strategy("RefineSwapLB", parameters),
        tolerance_(tolerance_of("RefineSwapLB", parameters)),
        seed_(parameters.get<std::int64_t>("seed")),
        effort_(parameters.get<std::int64_t>("effort")) {
    if (effort_ < 0) throw invalid_parameter("RefineSwapLB", "effort", effort_, "use a number >= 0");
  }

  void work(LDStats& stats) override {
    const ProcArray procs(stats);
    procs.require_available();
    RefineContext context;
    context.max_splits = static_cast<std::uint64_t>(effort_);
    context.seed = static_cast<std::uint64_t>(seed_);
    target_ = refine_within(tolerance_, stats, procs, context);
  }

  ScoreTerms score_terms() const override { return ScoreTerms::of_load(false); }

  double target() const override { return target_; }

 private:
  double tolerance_;
  std::int64_t seed_;
  std::int64_t effort_;
  double target_ = 0;
};

}  // namespace

StrategyInfo refine_lb_info() {
  return {.name = "RefineLB",
          .help = "good balance with few migrations: only load above the target migrates",
          .parameters =
              {{"tolerance", 1.0005, "target maximum load relative to the lower bound (>= 1)", {"overload"}}},
          .make = make_strategy<RefineLB>,
          .needs = {.communication = false, .numbers = false, .subphases = true},
          .aliases = {{"RefineA"}, {"RefineB"}},
          .trade_off = TradeOff::by_tolerance()};
}

StrategyInfo refine_swap_lb_info() {
  return {
      .name = "RefineSwapLB",
      .help =
          "best balance for few objects per rank: migrates and swaps objects, and splits the objects of two "
          "ranks optimally",
      .parameters = {{"tolerance", 1.00001, "target maximum load relative to the lower bound (>= 1)"},
                     {"seed", std::int64_t{1}, "random seed of the swaps that escape from local optima"},
                     {"effort", std::int64_t{20'000}, "maximum number of splits of two ranks to try (>= 0)"}},
      .make = make_strategy<RefineSwapLB>,
      .needs = {.communication = false, .numbers = false},
      .trade_off = TradeOff::by_tolerance()};
}

}  // namespace plimsoll::balance
