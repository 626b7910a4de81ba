#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/balance/strategy.hpp>

#include "balance/search/random.hpp"
#include "balance/subphase_laws.hpp"

// Balances phases whose ranks synchronise after each subphase, for several distributions of loads, with
// objects in blocks. Counters: "start" and "time" are the time of the phase relative to the lower bound
// before and after balancing, "moved" is the number of migrated objects. For up to 64 ranks, "of_best"
// divides the migrations of RefineLB by those of the best of 1,000 refinements in random order with the same
// target; it is 0 if none reaches the target, and for GreedyLB.

namespace {

using namespace plimsoll::balance;

constexpr double target = 1.01;
constexpr std::uint64_t n_refinements = 1000;
constexpr std::size_t most_compared_ranks = 64;

/// Refines a placement in random order: a random rank above a limit gives an object to the rank where the
/// load above the limits decreases most. The object is the best of some random ones.
class RandomRefinement {
 public:
  explicit RandomRefinement(const LDStats& stats)
      : stats_(stats), start_(stats.procs.size(), std::vector<double>(stats.subphases.count)) {
    objects_at_start_.resize(stats.procs.size());
    for (std::uint32_t object = 0; object < stats.obj_data.size(); ++object) {
      const auto rank = static_cast<std::size_t>(stats.from_proc[object]);
      objects_at_start_[rank].push_back(object);
      add(start_[rank], object, 1);
    }
    for (std::uint32_t subphase = 0; subphase < stats.subphases.count; ++subphase)
      limits_.push_back(target * lower_bound(subphase_stats(stats, subphase)).time_s);
  }

  /// Returns the number of migrations; nothing if the target was not reached with fewer than `most`
  /// migrations.
  std::optional<std::int64_t> run(std::uint64_t seed, std::int64_t most) {
    Random random(seed);
    const std::uint64_t n_tried = 1 + seed % 16;
    loads_ = start_;
    objects_ = objects_at_start_;
    int n_failures = 0;
    for (std::int64_t moves = 0; moves < most && n_failures < 200;) {
      std::vector<std::size_t> above;
      for (std::size_t rank = 0; rank < loads_.size(); ++rank)
        if (excess(rank) > 1e-9) above.push_back(rank);
      if (above.empty()) return moves;
      const bool has_moved = move_from(above[random.next() % above.size()], n_tried, random);
      moves += has_moved ? 1 : 0;
      n_failures = has_moved ? 0 : n_failures + 1;
    }
    return {};
  }

 private:
  using Loads = std::vector<double>;

  void add(Loads& loads, std::uint32_t object, double sign) const {
    for (std::uint32_t subphase = 0; subphase < loads.size(); ++subphase)
      loads[subphase] += sign * stats_.subphases.load_s(object, subphase);
  }
  double excess(std::size_t rank) const {
    double sum = 0;
    for (std::size_t k = 0; k < limits_.size(); ++k) sum += std::max(0.0, loads_[rank][k] - limits_[k]);
    return sum;
  }
  double excess_with(std::size_t rank, std::uint32_t object, double sign) const {
    double sum = 0;
    for (std::uint32_t k = 0; k < limits_.size(); ++k)
      sum += std::max(0.0, loads_[rank][k] + sign * stats_.subphases.load_s(object, k) - limits_[k]);
    return sum;
  }

  bool move_from(std::size_t from, std::uint64_t n_tried, Random& random) {
    std::vector<std::uint32_t>& here = objects_[from];
    double best_gain = 1e-12;
    std::size_t position = here.size();
    std::size_t to = from;
    for (std::uint64_t k = 0; k < n_tried && !here.empty(); ++k) {
      const std::size_t tried = random.next() % here.size();
      const double relief = excess(from) - excess_with(from, here[tried], -1);
      for (std::size_t rank = 0; rank < loads_.size() && relief > best_gain; ++rank) {
        const double gain = relief + excess(rank) - excess_with(rank, here[tried], 1);
        if (rank == from || gain <= best_gain) continue;
        best_gain = gain;
        position = tried;
        to = rank;
      }
    }
    if (to == from) return false;
    const std::uint32_t object = here[position];
    here.erase(here.begin() + static_cast<std::ptrdiff_t>(position));
    objects_[to].push_back(object);
    add(loads_[from], object, -1);
    add(loads_[to], object, 1);
    return true;
  }

  const LDStats& stats_;
  std::vector<Loads> start_;  // by rank and subphase
  std::vector<std::vector<std::uint32_t>> objects_at_start_;
  std::vector<double> limits_;
  std::vector<Loads> loads_;
  std::vector<std::vector<std::uint32_t>> objects_;
};

/// Returns the minimum number of migrations of 1,000 refinements; nothing if none reaches the target.
std::optional<std::int64_t> fewest_migrations(const LDStats& stats) {
  RandomRefinement refinement(stats);
  std::optional<std::int64_t> fewest;
  for (std::uint64_t seed = 0; seed < n_refinements; ++seed)
    if (const auto migrations =
            refinement.run(seed, fewest.value_or(std::numeric_limits<std::int64_t>::max())))
      fewest = migrations;
  return fewest;
}

void balance_law(benchmark::State& state, const testing::SubphaseLaw& law, std::size_t n_objs,
                 std::size_t n_procs, const std::string& strategy, const ParameterMap& parameters) {
  LDStats stats = testing::stats_by_law(law, n_objs, n_procs, 7);
  const auto balancer = StrategyRegistry::builtin().create(strategy, parameters);
  for ([[maybe_unused]] auto _ : state) balancer->work(stats);
  const double bound_s = lower_bound(stats).time_s;
  const Quality quality = assess(stats, stats.to_proc);
  state.counters["start"] = phase_time(stats, stats.from_proc) / bound_s;
  state.counters["time"] = quality.max_time_s / bound_s;
  state.counters["moved"] = static_cast<double>(quality.n_moved);
  double of_best = 0;
  if (strategy == "RefineLB" && n_procs <= most_compared_ranks)
    if (const auto fewest = fewest_migrations(stats))
      of_best = static_cast<double>(quality.n_moved) / static_cast<double>(*fewest);
  state.counters["of_best"] = of_best;
}

void register_law(const testing::SubphaseLaw& law, std::size_t n_objs, std::size_t n_procs,
                  const std::string& strategy, const ParameterMap& parameters) {
  benchmark::RegisterBenchmark(
      (law.name + "/" + std::to_string(n_objs) + "/" + std::to_string(n_procs) + "/" + strategy).c_str(),
      [=](benchmark::State& state) { balance_law(state, law, n_objs, n_procs, strategy, parameters); })
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
}

const int registered = [] {
  constexpr std::pair<std::size_t, std::size_t> sizes[] = {
      {800, 16}, {3'200, 64}, {12'800, 256}, {51'200, 1'024}};
  for (const testing::SubphaseLaw& law : testing::subphase_laws()) {
    for (const auto& [n_objs, n_procs] : sizes) {
      register_law(law, n_objs, n_procs, "GreedyLB", {});
      register_law(law, n_objs, n_procs, "RefineLB", {{"tolerance", "1.01"}});
    }
  }
  return 0;
}();

}  // namespace
