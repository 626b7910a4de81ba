#include "pelayout/analysis/run_arrangement.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

/// A component on consecutive ranks, with its seconds per model day.
ComponentTiming on_ranks(const std::string& name, std::int64_t root, std::int64_t tasks, double time) {
  return {.component = name, .tasks = tasks, .root = root, .seconds = time, .seconds_per_day = time};
}

TimingFile run_of(std::vector<ComponentTiming> timings, std::optional<double> total) {
  TimingFile run;
  run.run_days = 1;
  run.components = std::move(timings);
  run.total_seconds = run.total_seconds_per_day = total;
  return run;
}

std::string arrangement(const TimingFile& run) {
  return to_string(arrangement_in_run(run, active_components(run)));
}

// The layout of a CESM3 run on 2,304 tasks.
TEST(ArrangementInRun, FollowsRanks) {
  const TimingFile run =
      run_of({on_ranks("CPL", 0, 1920, 0.8), on_ranks("ATM", 0, 1920, 18.1), on_ranks("LND", 0, 640, 2.1),
              on_ranks("ICE", 704, 1152, 2.3), on_ranks("OCN", 1920, 384, 21.2),
              on_ranks("ROF", 0, 512, 0.05), on_ranks("WAV", 1792, 64, 0)},
             22.8);
  EXPECT_EQ(arrangement(run), "((ICE | (LND ; ROF)) ; ATM ; CPL) | OCN");
}

TEST(ArrangementInRun, IsSequenceOnCommonRanks) {
  const TimingFile run =
      run_of({on_ranks("ATM", 0, 64, 5), on_ranks("OCN", 0, 64, 2), on_ranks("ICE", 0, 32, 1)}, 8);
  EXPECT_EQ(arrangement(run), "ICE ; ATM ; OCN");
}

// Sea ice shares 128 ranks with the ocean that runs beside it: the total shows that it does not wait for it.
TEST(ArrangementInRun, DecidesPartialOverlapByTotal) {
  const auto with_total = [](std::optional<double> total) {
    return arrangement(
        run_of({on_ranks("ATM", 0, 1024, 20), on_ranks("ICE", 512, 640, 10), on_ranks("OCN", 1024, 512, 29)},
               total));
  };
  EXPECT_EQ(with_total(33), "(ICE ; ATM) | OCN");
  EXPECT_EQ(with_total(40), "(ATM | OCN) ; ICE") << "29 and then 10";
  EXPECT_EQ(with_total(std::nullopt), "(ATM | OCN) ; ICE");
}

// A data atmosphere on its own ranks does not wait for the land; an active one does.
TEST(ArrangementInRun, DecidesDependenceOnSeparateRanksByTotal) {
  const auto with_total = [](std::optional<double> total) {
    return arrangement(run_of({on_ranks("ATM", 0, 16, 0.5), on_ranks("LND", 16, 112, 1.2)}, total));
  };
  EXPECT_EQ(with_total(1.25), "LND | ATM");
  EXPECT_EQ(with_total(1.75), "LND ; ATM");
  EXPECT_EQ(with_total(std::nullopt), "LND ; ATM");
}

// The total of 13 s contains 3 s of exchange, and is nearer to the sum of 15 s than to the maximum of 10 s.
TEST(ArrangementInRun, IsConcurrentWithOasis) {
  TimingFile run = run_of({on_ranks("OPENIFS", 0, 432, 10), on_ranks("RNFMAPPER", 432, 1, 5)}, 13);
  EXPECT_EQ(arrangement(run), "OPENIFS ; RNFMAPPER");
  run.coupler = Coupler::oasis;
  EXPECT_EQ(arrangement(run), "OPENIFS | RNFMAPPER");
}

TEST(ArrangementInRun, RepresentsChainOfOverlaps) {
  const TimingFile run = run_of({on_ranks("ICE", 0, 20, 3), on_ranks("LND", 15, 20, 3),
                                 on_ranks("WAV", 30, 20, 3), on_ranks("ROF", 45, 20, 3)},
                                std::nullopt);
  EXPECT_EQ(components(arrangement_in_run(run, active_components(run))).size(), 4U);
}

TEST(SharedRanks, CountsCommonRanks) {
  EXPECT_EQ(shared_ranks(on_ranks("A", 0, 64, 1), on_ranks("B", 32, 64, 1)), 32);
  EXPECT_EQ(shared_ranks(on_ranks("A", 0, 64, 1), on_ranks("B", 64, 64, 1)), 0);
  ComponentTiming even = on_ranks("A", 0, 32, 1);
  ComponentTiming odd = on_ranks("B", 1, 32, 1);
  even.stride = odd.stride = 2;
  EXPECT_EQ(shared_ranks(even, odd), 0) << "the ranks interleave";
  EXPECT_EQ(shared_ranks(even, even), 32);
}

TEST(CriticalPath, AddsMeasuredTimesInArrangement) {
  const TimingFile run =
      run_of({on_ranks("ICE", 0, 8, 3), on_ranks("ATM", 0, 8, 5), on_ranks("OCN", 8, 8, 7)}, 9);
  EXPECT_DOUBLE_EQ(critical_path(parse_layout("(ICE ; ATM) | OCN"), run, CostUnit::seconds_per_day), 8);
}

}  // namespace
}  // namespace plimsoll::pelayout
