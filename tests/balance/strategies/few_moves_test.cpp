#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include <plimsoll/balance/decision.hpp>
#include <plimsoll/balance/score.hpp>

#include "balance/charm_tree.hpp"
#include "balance/load_laws.hpp"
#include "balance/stats_factory.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using testing::balance_with;
using testing::CharmTree;
using testing::LoadLaw;
using testing::stats_by_law;

struct Result {
  double max;    ///< maximum load relative to the mean
  double moved;  ///< number of migrated objects
};

Result result(const LDStats& stats, const std::vector<std::int32_t>& placement) {
  const Quality quality = assess(stats, placement);
  return {quality.imbalance + 1, static_cast<double>(quality.n_moved)};
}

Result result_of(const std::string& strategy, LDStats& stats, const ParameterMap& parameters = {}) {
  balance_with(strategy, stats, parameters);
  return result(stats, stats.to_proc);
}

double relative_bound(const LDStats& stats) {
  return lower_bound(stats).time_s / ProcArray(stats).average_load();
}

/// Returns the strategies that need only loads, and little time.
std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const StrategyInfo& info : StrategyRegistry::builtin().list())
    if (info.name != "OptimalLB" && info.name != "PrescribedLB" && info.name != "ClusterLB" &&
        !info.needs.positions)
      names.push_back(info.name);
  return names;
}

/// Checks that each strategy balances as well as GreedyRefine of Charm++ 7, and that neither GreedyRefine nor
/// RefineA balances at least as well with clearly fewer migrations.
void expect_no_worse_than_charm(const std::vector<std::string>& strategies, LDStats& stats) {
  CharmTree charm(stats);
  const Result greedy_refine = result(stats, charm.greedy_refine());
  const Result refine_a = result(stats, charm.refine_a());
  for (const std::string& strategy : strategies) {
    const Result ours = result_of(strategy, stats);
    EXPECT_LE(ours.max, std::max(1.0006 * relative_bound(stats), greedy_refine.max)) << strategy;
    for (const Result& theirs : {greedy_refine, refine_a}) {
      if (ours.max >= theirs.max) {
        EXPECT_LE(ours.moved, 1.05 * theirs.moved) << strategy;
      }
    }
  }
}

TEST(CharmTree, BehavesLikeCharmPlusPlus) {
  // Maximum load and share of migrated objects of Charm++ 7, measured on the same loads.
  const LoadLaw u4 = testing::load_laws()[0];
  LDStats stats = stats_by_law(u4, 10'000, 64, 7);
  CharmTree charm(stats);
  const Result greedy_refine = result(stats, charm.greedy_refine());
  EXPECT_NEAR(greedy_refine.max, 1.00008, 1e-5);
  EXPECT_NEAR(greedy_refine.moved, 0.2729 * 10'000, 5);
  const Result refine_a = result(stats, charm.refine_a());
  EXPECT_NEAR(refine_a.max, 1.00782, 1e-5);
  EXPECT_NEAR(refine_a.moved, 0.0111 * 10'000, 1);
}

struct Size {
  std::size_t n_objs;
  std::size_t n_procs;
};

class FewMoves : public ::testing::TestWithParam<LoadLaw> {};

TEST_P(FewMoves, AreNotMoreThanThoseOfCharmPlusPlus) {
  for (const auto& [n_objs, n_procs] : {Size{1'000, 16}, Size{10'000, 64}, Size{20'000, 4'096}})
    for (std::uint64_t seed = 7; seed < 12; ++seed) {
      SCOPED_TRACE(::testing::Message() << n_objs << " objects, seed " << seed);
      LDStats stats = stats_by_law(GetParam(), n_objs, n_procs, seed);
      expect_no_worse_than_charm({"RefineLB", "GreedyRefineLB"}, stats);
    }
  SCOPED_TRACE("100,000 objects");
  LDStats large = stats_by_law(GetParam(), 100'000, 1'024, 7);
  expect_no_worse_than_charm({"RefineLB"}, large);
}

TEST_P(FewMoves, FollowTheTolerance) {
  for (std::uint64_t seed = 7; seed < 10; ++seed) {
    LDStats stats = stats_by_law(GetParam(), 10'000, 64, seed);
    const Result start = result(stats, stats.from_proc);
    double moved = std::numeric_limits<double>::infinity();
    for (const double tolerance : {1.0005, 1.008, 1.05}) {
      const Result ours = result_of("RefineLB", stats, {{"tolerance", std::to_string(tolerance)}});
      EXPECT_LE(ours.max, std::min(tolerance * relative_bound(stats) * (1 + 1e-9), start.max) + 1e-12)
          << seed;
      EXPECT_LE(ours.moved, moved) << seed;
      moved = ours.moved;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Laws, FewMoves, ::testing::ValuesIn(testing::load_laws()), [](const auto& law) {
  std::string name;
  for (const char c : law.param.name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
  return name;
});

TEST(FewMoves, ReachToleranceOnHotSpots) {
  // 100 objects on each of 128 ranks; one object in ten has the tenfold load.
  const LoadLaw law{"hot spot", [](const testing::Draw& draw) {
                      return 1e-3 * (draw.position < 0.1 ? 10 : 1) * (0.9 + 0.2 * draw.u);
                    }};
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    LDStats stats = stats_by_law(law, 12'800, 128, seed);
    for (const char* strategy : {"RefineLB", "GreedyRefineLB"}) {
      const Result ours = result_of(strategy, stats);
      EXPECT_LE(ours.max, 1.0005 + 1e-9) << strategy;
      EXPECT_LE(ours.moved, 0.15 * 12'800) << strategy;
    }
  }
}

TEST(FewMoves, AreNearTheProvableMinimumForManyObjects) {
  for (const LoadLaw& law : testing::load_laws()) {
    if (law.name != "u4" && law.name != "uniform" && law.name != "ramp" && law.name != "int1-5") continue;
    LDStats stats = stats_by_law(law, 100'000, 1'024, 7);
    const Result ours = result_of("RefineLB", stats);
    EXPECT_LE(ours.moved, 1.1 * testing::needed_moves(stats, ours.max * ProcArray(stats).average_load()))
        << law.name;
  }
}

std::vector<Remark> remarks_of(const std::string& strategy, LDStats& stats,
                               const ParameterMap& parameters = {}) {
  return run(*StrategyRegistry::builtin().create(strategy, parameters), stats).remarks;
}

TEST(FewMoves, LeaveRemarkIfTargetIsMissed) {
  // Two of the three heavy objects share a rank, which is the bound.
  LDStats easy = testing::stats_of(2, {2, 2, 2, 0.02}, {0, 0, 0, 0});
  ASSERT_DOUBLE_EQ(lower_bound(easy).time_s, 4);
  EXPECT_TRUE(remarks_of("RefineLB", easy).empty());

  // Both ranks would finish at 11, but every sum of these loads is at most 10 or at least 12.
  LDStats hard = testing::stats_of(2, {5, 5, 4, 4, 4}, {0, 0, 0, 0, 0});
  ASSERT_DOUBLE_EQ(lower_bound(hard).time_s, 11);
  for (const char* strategy : {"RefineLB", "GreedyRefineLB", "RefineSwapLB"}) {
    const std::vector<Remark> remarks = remarks_of(strategy, hard, {{"tolerance", "1.0"}});
    ASSERT_EQ(remarks.size(), 1) << strategy;
    EXPECT_EQ(remarks[0].key, "missed_target_imbalance") << strategy;
    EXPECT_NEAR(remarks[0].value, 0, 0.0006) << strategy;
    EXPECT_THAT(remarks[0].text, ::testing::HasSubstr("the imbalance is 0.0909")) << strategy;  // 12 / 11 - 1
  }
}

TEST(EveryTarget, LeavesRemarkIfMissed) {
  // Both ranks would finish at 11, but every sum of these loads is at most 10 or at least 12.
  LDStats hard = testing::stats_of(2, {5, 5, 4, 4, 4}, {0, 0, 0, 0, 0});
  for (const auto& [strategy, parameter] : {std::pair("CommAwareRefineLB", "tolerance"),
                                            {"RecBipartLB", "tolerance"},
                                            {"HierarchicalLB", "max"}}) {
    const std::vector<Remark> remarks = remarks_of(strategy, hard, {{parameter, "1.05"}});
    ASSERT_EQ(remarks.size(), 1) << strategy;
    EXPECT_NEAR(remarks[0].value, 0.05, 1e-9) << strategy;
    EXPECT_THAT(remarks[0].text,
                ::testing::HasSubstr("Missed the target: the imbalance is 0.0909, the target is 0.0500."))
        << strategy;
    EXPECT_TRUE(remarks_of(strategy, hard, {{parameter, "1.1"}}).empty()) << strategy;
    EXPECT_EQ(remarks_of(strategy, hard, {{parameter, "1.1"}, {"max_moves", "1"}}).size(), 1) << strategy;
  }
  // The heaviest object is the bound.
  LDStats easy = testing::stats_of(2, {9, 1}, {0, 0});
  EXPECT_TRUE(remarks_of("HierarchicalLB", easy).empty());
  EXPECT_TRUE(remarks_of("CommAwareRefineLB", easy).empty());
}

TEST(FewMoves, LeaveRemarkIfLimitPreventsTarget) {
  LDStats stats = stats_by_law(testing::load_laws()[0], 1'000, 16, 7);
  EXPECT_TRUE(remarks_of("RefineLB", stats).empty());
  EXPECT_EQ(remarks_of("RefineLB", stats, {{"max_moves", "1"}}).size(), 1);
}

TEST(FewMoves, LeaveRemarkIfLoadDimensionMissesTarget) {
  LDStats stats = testing::stats_of(2, {1, 1}, {0, 0});
  stats.more_loads.push_back({"gpu_s", {1, 1}});
  EXPECT_TRUE(remarks_of("RefineLB", stats).empty());
  EXPECT_EQ(remarks_of("RefineLB", stats, {{"max_moves", "0"}}).size(), 1);
}

TEST(FewMoves, KeepObjectsWithoutLoad) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    LDStats stats = testing::stats_of(4, {}, {});
    for (std::int32_t rank = 0; rank < 4; ++rank)
      for (std::uint64_t k = random.next() % 4 + 41; k > 0; --k) {
        stats.obj_data.push_back({static_cast<LBRealType>(k > 40 ? 1 + random.next() % 10 : 0), true});
        stats.from_proc.push_back(rank);
      }
    for (const char* strategy : {"RefineLB", "GreedyRefineLB"}) {
      balance_with(strategy, stats);
      for (std::size_t object = 0; object < stats.to_proc.size(); ++object)
        if (stats.obj_data[object].walltime == 0) {
          ASSERT_EQ(stats.to_proc[object], stats.from_proc[object]) << strategy << ", seed " << seed;
        }
    }
  }
}

/// Returns whether `left` finishes earlier by more than 0.1 %, without more migrations.
bool finishes_clearly_earlier(const Result& left, const Result& right) {
  return left.max < right.max * (1 - 1e-3) && left.moved <= right.moved;
}

/// Returns whether `left` finishes no later, and its migrations are fewer by more than 2 % of the objects.
bool migrates_clearly_less(const Result& left, const Result& right, std::size_t n_objs) {
  return left.max <= right.max * (1 + 1e-9) && left.moved < right.moved - 0.02 * static_cast<double>(n_objs);
}

TEST(FewMoves, AreNotDominatedByAnotherStrategyInRandomCases) {
  constexpr std::uint64_t n_random = 140;  // ten per law
  const std::vector<LoadLaw> laws = testing::load_laws();
  const std::vector<std::string> names = strategy_names();
  int dominated = 0;
  for (std::uint64_t k = 0; k < n_random; ++k) {
    Random random(k);
    const std::size_t n_objs = 100 + random.next() % 1900;
    const std::size_t n_procs = 2 + random.next() % (n_objs / 8 - 1);
    LDStats stats = stats_by_law(laws[k % laws.size()], n_objs, n_procs, k);
    if (k % 2 == 1)
      for (std::int32_t& rank : stats.from_proc) rank = static_cast<std::int32_t>(random.next() % n_procs);
    std::map<std::string, Result> results;
    for (const std::string& name : names) results[name] = result_of(name, stats);
    for (const std::string ours : {"RefineLB", "GreedyRefineLB", "RefineSwapLB"})
      for (const auto& [name, theirs] : results) {
        EXPECT_FALSE(finishes_clearly_earlier(theirs, results[ours]))
            << name << " dominates " << ours << " in case " << k;
        if (migrates_clearly_less(theirs, results[ours], n_objs)) ++dominated;
      }
  }
  // The searches of the three strategies are heuristic: in rare cases, one of them finds a placement that
  // another one misses.
  EXPECT_LE(dominated, 0.02 * 3 * n_random);
}

}  // namespace
}  // namespace plimsoll::balance
