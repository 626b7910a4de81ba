#include "runtime/recording/rank_history.hpp"

#include <gmock/gmock.h>

#include <map>

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

using ::testing::ElementsAre;

/// Keeps three phases of a rank, with loads by object number.
struct KeptPhases {
  void end_phase(const std::map<std::uint64_t, double>& loads_s) {
    lbdata::PhaseRecord phase;
    phase.id = next_phase++;
    for (const auto& [number, load_s] : loads_s) {
      phase.tasks.entity.push_back(entity(number));
      phase.tasks.time_s.push_back(load_s);
      phase.tasks.node.push_back(0);
      phase.tasks.resource.push_back(data.cpu());
      phase.tasks.subphase_end.push_back(0);
    }
    data.add(std::move(phase));
  }
  lbdata::EntityIndex entity(std::uint64_t number) {
    return data.entities().intern({.id = lbdata::WideInteger{number}, .home = 0, .migratable = true});
  }

  NodeLBData data{{.lb_history = 3}, {.rank = 0}};
  std::int64_t next_phase = 0;
};

TEST(SteadyLoads, AreTheMedianOfThreePhases) {
  KeptPhases rank;
  rank.end_phase({{1, 9.0}, {2, 1.0}});
  rank.end_phase({{1, 1.0}, {2, 2.0}});
  rank.end_phase({{1, 30.0}, {2, 1.5}});
  rank.end_phase({{1, 2.0}, {2, 40.0}});
  EXPECT_THAT(steady_loads(rank.data), ElementsAre(2.0, 2.0)) << "of phases 1 to 3";
}

TEST(SteadyLoads, AreTheLowerOfTwoPhasesAndTheLoadOfOne) {
  KeptPhases rank;
  rank.end_phase({{1, 9.0}});
  EXPECT_THAT(steady_loads(rank.data), ElementsAre(9.0));
  rank.end_phase({{1, 1.0}, {2, 5.0}});
  EXPECT_THAT(steady_loads(rank.data), ElementsAre(1.0, 5.0));
}

TEST(SteadyLoads, IncludePhasesOnOtherRanks) {
  KeptPhases rank;
  rank.end_phase({});
  rank.end_phase({});
  rank.data.add_history(rank.entity(1), {.phase = 0, .time_s = 1.0, .subphases_s = {}});
  rank.data.add_history(rank.entity(1), {.phase = 1, .time_s = 1.25, .subphases_s = {}});
  rank.end_phase({{1, 30.0}});
  EXPECT_THAT(steady_loads(rank.data), ElementsAre(1.25));
}

}  // namespace
}  // namespace plimsoll::runtime
