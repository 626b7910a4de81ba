#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include <plimsoll/pelayout/esmf_profile.hpp>
#include <plimsoll/pelayout/timing_file.hpp>

#include "common/shared_data.hpp"
#include "common/throws_error.hpp"
#include "pelayout/timing/esmf_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using plimsoll::testing::esmf_example;
using plimsoll::testing::EsmfText;

const std::vector<ComponentRanks> example_ranks = {
    {"ATM", 0, 64}, {"OCN", 80, 32}, {"ICE", 0, 64}, {"LND", 0, 64}, {"WAV", 48, 32}};

std::vector<ComponentWork> works_of(const EsmfText& text, const std::vector<ComponentRanks>& ranks) {
  return component_work(parse_esmf_profile(text.str(), "summary"), ranks);
}

ComponentWork find_work(const std::vector<ComponentWork>& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &ComponentWork::name);
  EXPECT_NE(found, all.end()) << name;
  return found == all.end() ? ComponentWork{} : *found;
}

TEST(ComponentWork, NamesComponentsThenMediatorThenConnectors) {
  std::vector<std::string> names;
  for (const ComponentWork& work : works_of(esmf_example(), example_ranks)) names.push_back(work.name);
  EXPECT_THAT(names,
              ::testing::ElementsAre("ATM", "OCN", "ICE", "LND", "WAV", "MED", "MED-TO-OCN", "LND-TO-MED"));
}

TEST(ComponentWork, IsTheMeanOfComponentsThatWaitForNobody) {
  const std::vector<ComponentWork> all = works_of(esmf_example(), example_ranks);
  const ComponentWork atm = find_work(all, "ATM");
  EXPECT_EQ(atm.tasks, 64);
  EXPECT_EQ(atm.steps, 480);
  EXPECT_EQ(atm.work_s, 200) << "its slow regions are on different ranks: the ranks wait for each other";
  EXPECT_EQ(atm.waiting_s, 0);
  EXPECT_DOUBLE_EQ(atm.imbalance, 200.25 / 200);
  const ComponentWork ocn = find_work(all, "OCN");
  EXPECT_EQ(ocn.steps, 240);
  EXPECT_EQ(ocn.work_s, 90);
  EXPECT_DOUBLE_EQ(ocn.imbalance, 90.125 / 90);
}

TEST(ComponentWork, KeepsTheImbalanceOfInnerRegions) {
  const ComponentWork ice = find_work(works_of(esmf_example(), example_ranks), "ICE");
  EXPECT_EQ(ice.work_s, 40) << "16 of its ranks run WAV; if the others waited for them, the mean would be 65";
  EXPECT_EQ(ice.imbalance, 2);
  EXPECT_EQ(ice.waits_for, "");
}

// LND takes 50 s, of which its region takes 14; its fastest rank spends 2 s outside the region, and 3 s in it
// are synchronisation. Its slowest rank works 20 + 2 - 1 s.
TEST(ComponentWork, ExcludesTimeOutsideInnerRegionsAndSynchronisation) {
  const ComponentWork lnd = find_work(works_of(esmf_example(), example_ranks), "LND");
  EXPECT_EQ(lnd.waiting_s, 50 - 14 - 2 + 3);
  EXPECT_EQ(lnd.work_s, 13);
  EXPECT_DOUBLE_EQ(lnd.imbalance, 21.0 / 13);
  EXPECT_EQ(lnd.waits_for, "ICE") << "its spread of 58 s is within that of ICE, 60 s";
}

TEST(ComponentWork, IsTheFastestRanksIfOtherComponentsDelayThem) {
  const ComponentWork wav = find_work(works_of(esmf_example(), example_ranks), "WAV");
  EXPECT_EQ(wav.work_s, 11);
  EXPECT_EQ(wav.waiting_s, 44);
  EXPECT_EQ(wav.imbalance, 1);
  EXPECT_EQ(wav.waits_for, "ICE");
  EXPECT_EQ(find_work(works_of(esmf_example(), {}), "WAV").work_s, 55) << "unknown ranks show no delay";
}

TEST(ComponentWork, OfUnevenlyDelayedRanksIsTheFastestRanks) {
  EsmfText text = esmf_example();
  text.rows.insert(text.rows.begin() + 3, {3, "[GLC] RunPhase1", 64, 30, 1, 61, 5, 63});
  std::vector<ComponentRanks> ranks = example_ranks;
  ranks.push_back({"GLC", 0, 64});
  const ComponentWork glc = find_work(works_of(text, ranks), "GLC");
  EXPECT_EQ(glc.work_s, 1);
  EXPECT_EQ(glc.waits_for, "ICE");
}

// A rank that is slow alone works longer. If it were waiting, the others would wait, too.
TEST(ComponentWork, KeepsTheTimeOfOneSlowRank) {
  EsmfText text = esmf_example();
  text.rows.insert(text.rows.begin() + 3, {3, "[ROF] RunPhase1", 64, 1.5, 1, 28, 5, 0});
  text.rows.insert(text.rows.begin() + 4, {4, "mosart", 64, 0.9, 0.8, 1.25, 5, 0});
  const ComponentWork rof = find_work(works_of(text, example_ranks), "ROF");
  EXPECT_EQ(rof.waiting_s, 0);
  EXPECT_DOUBLE_EQ(rof.imbalance, 28 / 1.5);
}

TEST(ComponentWork, OfMediatorAndConnectorsIsTheFastestRanks) {
  const std::vector<ComponentWork> all = works_of(esmf_example(), example_ranks);
  EXPECT_EQ(find_work(all, "MED").work_s, 5);
  EXPECT_EQ(find_work(all, "MED").mean_s, 12);
  EXPECT_EQ(find_work(all, "MED-TO-OCN").waiting_s, 59.5);
}

TEST(ComponentWork, OfSeveralDriversIsThatOfTheOneAskedFor) {
  EsmfText text = esmf_example();
  text.rows.insert(text.rows.end() - 1, {{2, "[ESM0002] RunPhase1", 112, 0, 0, 0, 3, 7, "1"},
                                         {3, "[ATM] RunPhase1", 64, 0, 0, 0, 0, 0, "48"}});
  const EsmfProfile profile = parse_esmf_profile(text.str(), "summary");
  EXPECT_EQ(component_work(profile, {}, 0).front().steps, 480);
  EXPECT_EQ(component_work(profile, {}, 1).front().steps, 480);
  EXPECT_EQ(component_work(profile, {}, 2).front().steps, 48);
  EXPECT_ERROR(component_work(profile, {}, 3), bad_input, "no driver number 3: the profile has 2");
}

TEST(ComponentWork, NeedsARunPhase) {
  EsmfText text = esmf_example();
  text.rows.resize(3);
  EXPECT_ERROR(works_of(text, {}), bad_input, "no run phase of a component");
}

TEST(RanksInProfile, FollowFromItsPets) {
  const std::vector<ObservedRanks> all = ranks_in(parse_esmf_profile(esmf_example().str(), "summary"));
  const auto ranks = [&](const std::string& name) {
    for (const ObservedRanks& observed : all)
      if (observed.ranks.name == name) return observed;
    return ObservedRanks{};
  };
  EXPECT_EQ(ranks("OCN").ranks.root, 80) << "its first and last ranks are in the profile";
  EXPECT_TRUE(ranks("OCN").is_certain());
  EXPECT_EQ(ranks("ICE").first_root, 0);
  EXPECT_EQ(ranks("ICE").last_root, 5);
  EXPECT_EQ(ranks("ICE").ranks.root, 0);
  EXPECT_EQ(ranks("WAV").first_root, 39);
  EXPECT_EQ(ranks("WAV").last_root, 50);
  EXPECT_EQ(ranks("WAV").ranks.root, 48) << "components begin on a node";
}

struct RealRun {
  std::string folder;
  TimingFile timing;
  EsmfProfile profile;
  std::vector<ComponentRanks> ranks;
};

std::vector<RealRun> real_runs() {
  std::vector<RealRun> runs;
  for (const auto& folder :
       std::filesystem::directory_iterator(plimsoll::testing::shared_path("data/cime/cmeps"))) {
    RealRun& run = runs.emplace_back();
    run.folder = folder.path().filename().string();
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string path = entry.path();
      if (path.find("ESMF_Profile") != std::string::npos)
        run.profile = parse_esmf_profile(plimsoll::testing::file_content(path), path);
      else
        run.timing = read_timing_file(path);
    }
    for (const ComponentTiming& timing : run.timing.components)
      run.ranks.push_back({timing.component, timing.root, timing.tasks, timing.stride});
  }
  return runs;
}

// CIME computes its profile from these numbers, and prints three decimal digits.
TEST(ComponentWork, OfRealRunsHasTheTimesOfTheirTimingProfiles) {
  PLIMSOLL_NEED_SHARED("data/cime/cmeps");
  for (const RealRun& run : real_runs()) {
    double coupling_s = 0;
    for (const ComponentWork& work : component_work(run.profile, run.ranks)) {
      EXPECT_EQ(work.work_s + work.waiting_s, work.mean_s) << run.folder << " " << work.name;
      EXPECT_GE(work.work_s, 0);
      EXPECT_GE(work.waiting_s, 0);
      const ComponentTiming* const timing = run.timing.find(work.name == "MED" ? "CPL" : work.name);
      if (timing == nullptr) {
        coupling_s += work.mean_s;
        continue;
      }
      EXPECT_EQ(work.tasks, timing->tasks) << run.folder << " " << work.name;
      EXPECT_NEAR(work.name == "MED" ? work.mean_s : work.maximum_s, timing->seconds, 0.0006)
          << run.folder << " " << work.name;
    }
    EXPECT_NEAR(coupling_s / run.timing.run_days, *run.timing.coupling_seconds_per_day, 0.0006) << run.folder;
  }
}

/// Work of a component per coupling step in a real run.
double work_per_step(const std::vector<RealRun>& runs, const std::string& log_id, const char* component) {
  const auto run =
      std::ranges::find_if(runs, [&](const RealRun& each) { return each.folder.starts_with(log_id + "."); });
  EXPECT_NE(run, runs.end()) << log_id;
  const ComponentWork work = find_work(component_work(run->profile, run->ranks), component);
  return work.work_s / static_cast<double>(work.steps.value());
}

// Land takes 0.33 s/day on 1,536 ranks beside prescribed sea ice (937125), which delays nobody. On 1,920
// ranks that it shares with the uneven CICE, its profile shows 0.58 s/day on average, and 1.10 at most.
TEST(ComponentWork, OfLandIsTheSameBesideUnevenSeaIce) {
  PLIMSOLL_NEED_SHARED("data/cime/cmeps");
  const std::vector<RealRun> runs = real_runs();
  const double alone_s = work_per_step(runs, "937125", "LND");
  for (const char* shared : {"951330", "951472"})
    EXPECT_NEAR(work_per_step(runs, shared, "LND") / alone_s, 1, 0.15) << shared;
  const auto expect_same = [&](const char* one, const char* other, const char* component) {
    EXPECT_NEAR(work_per_step(runs, one, component) / work_per_step(runs, other, component), 1, 0.15)
        << one << " " << other << " " << component;
  };
  for (const char* component : {"ATM", "OCN", "ICE", "LND", "ROF", "MED"}) {
    expect_same("5440923", "5489363", component);
    expect_same("937060", "937080", component);
    if (component != std::string("OCN")) expect_same("951330", "951472", component);
  }
}

// In the UFS, the driver has another name, and the rows of ESMF have no level for an ensemble.
TEST(ComponentWork, IsFoundInRunsOfTheUfs) {
  const EsmfText text{.rows = {{0, "[ESMF]", 48, 100, 99, 101, 0, 1, "1"},
                               {1, "[UFS Driver Grid Comp] RunPhase1", 48, 90, 89, 91, 0, 1, "1"},
                               {2, "[ATM] RunPhase1", 32, 60, 59, 61, 0, 31, "24"},
                               {3, "[fcst] RunPhase1", 24, 55, 54, 56, 0, 23, "24"},
                               {2, "[OCN] RunPhase1", 16, 30, 29, 31, 32, 47, "12"},
                               {2, "[ATM-TO-OCN] RunPhase1", 48, 2, 1, 3, 0, 47, "12"},
                               {1, "[UFS Driver Grid Comp] FinalizePhase1", 48, 1, 0, 2, 0, 1, "1"}}};
  const std::vector<ComponentWork> all = works_of(text, {});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].name, "ATM") << "not the components inside";
  EXPECT_EQ(all[1].name, "OCN");
  EXPECT_EQ(all[2].work_s, 1);
}

TEST(RanksInProfile, ContainTheRealRoots) {
  PLIMSOLL_NEED_SHARED("data/cime/cmeps");
  for (const RealRun& run : real_runs())
    for (const ObservedRanks& observed : ranks_in(run.profile)) {
      const ComponentTiming* const timing =
          run.timing.find(observed.ranks.name == "MED" ? "CPL" : observed.ranks.name);
      if (timing == nullptr) continue;
      EXPECT_LE(observed.first_root, timing->root) << run.folder << " " << observed.ranks.name;
      EXPECT_GE(observed.last_root, timing->root) << run.folder << " " << observed.ranks.name;
      EXPECT_EQ(observed.ranks.root, timing->root) << run.folder << " " << observed.ranks.name;
    }
}

}  // namespace
}  // namespace plimsoll::pelayout
