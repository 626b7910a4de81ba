#include <gmock/gmock.h>

#include <fstream>

#include <plimsoll/balance/decision.hpp>
#include <plimsoll/balance/offline_lb.hpp>
#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/lbdata/writer.hpp>

#include "balance/database/dataset_factory.hpp"
#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using plimsoll::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Returns an LB data file in vt's form. Phase 0 has objects 1 and 2, and each later phase one more object.
std::string file_with(const std::vector<int>& phases, const std::string& metadata) {
  std::string text = R"({"metadata":{"type":"LBDatafile","rank":3,"phases":)" + metadata + R"(},"phases":[)";
  for (const int phase : phases) {
    text += std::string(phase == phases.front() ? "" : ",") + R"({"id":)" + std::to_string(phase) +
            R"(,"tasks":[)";
    for (int id = 1; id <= phase + 2; ++id)
      text += std::string(id == 1 ? "" : ",") + R"({"entity":{"home":0,"id":)" + std::to_string(id) +
              R"(,"migratable":true,"type":"object"},"node":3,"resource":"cpu","time":1.0})";
    text += R"(,{"entity":{"home":3,"id":13,"migratable":false,"type":"object"},"node":3,"resource":"cpu",)"
            R"("time":0.5}]})";
  }
  return text + "]}";
}

RecordedPlacement placement_of(const std::string& text) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/data.3.json";
  std::ofstream(path) << text;
  return RecordedPlacement::read(path);
}

std::vector<int> phases_where(const auto& holds) {
  std::vector<int> phases;
  for (int phase = 0; phase < 12; ++phase)
    if (holds(phase)) phases.push_back(phase);
  return phases;
}

TEST(RecordedPlacement, FollowsTheSparseMapOfVtTests) {
  const RecordedPlacement placement = placement_of(
      file_with({0, 3, 4, 6, 7}, R"({"count":10,"identical_to_previous":{"list":[5,8],"range":[]},)"
                                 R"("skipped":{"list":[9],"range":[[1,2]]}})"));
  EXPECT_THAT(phases_where([&](int phase) { return placement.is_recorded(phase); }),
              ElementsAre(0, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(phases_where([&](int phase) { return placement.needs_lb(phase); }), ElementsAre(2, 3, 5, 6));
  EXPECT_THAT(placement.objects(0), ElementsAre(1, 2));
  EXPECT_THAT(placement.objects(1), IsEmpty());
  EXPECT_THAT(placement.objects(3), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(placement.objects(5), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(placement.objects(8), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(placement.objects(10), IsEmpty());
}

TEST(RecordedPlacement, AcceptsVtFilesWithASpecification) {
  const RecordedPlacement placement = placement_of(file_with(
      {0, 2}, R"({"identical_to_previous":{"list":[],"range":[]},"skipped":{"list":[],"range":[]}})"));
  EXPECT_THAT(phases_where([&](int phase) { return placement.is_recorded(phase); }), ElementsAre(0, 2));
  EXPECT_THAT(phases_where([&](int phase) { return placement.needs_lb(phase); }), ElementsAre(1));
}

TEST(RecordedPlacement, NeedsNothingWhileThePlacementStays) {
  testing::DatasetFactory factory(2);
  for (const int phase : {0, 1, 2}) {
    factory.task(0, phase == 2 ? 7 : 3, 1, true, phase);
    factory.record(1, phase);
  }
  const RecordedPlacement placement(factory.dataset, 0);
  EXPECT_FALSE(placement.needs_lb(0));
  EXPECT_TRUE(placement.needs_lb(1));
  EXPECT_FALSE(placement.needs_lb(2));
  const RecordedPlacement empty_rank(factory.dataset, 1);
  EXPECT_TRUE(empty_rank.is_recorded(1));
  EXPECT_FALSE(empty_rank.needs_lb(1));
}

TEST(RecordedPlacement, ReadsAPlanWithoutItsPlaceholders) {
  testing::DatasetFactory factory(2);
  for (const std::uint64_t sequence : {1, 2, 3, 4})
    factory.task(0, lbdata::encode({.home = 0, .sequence = sequence}), 1);
  factory.record(1);
  const DatasetPhase phase = load_phase(factory.dataset, 0);
  const OfflineLbPlan plan =
      offline_lb_plan(factory.dataset, phase, std::vector<std::int32_t>{0, 1, 0, 1}, 0);
  const TemporaryFolder folder;
  lbdata::write(plan.dataset, folder.path(), "data", {.compress = false});
  const RecordedPlacement rank_1 = RecordedPlacement::read(folder / "data.1.json");
  EXPECT_THAT(rank_1.objects(0), IsEmpty());
  EXPECT_TRUE(rank_1.needs_lb(0));
  EXPECT_THAT(rank_1.objects(1), ElementsAre(lbdata::encode({.home = 0, .sequence = 2}),
                                             lbdata::encode({.home = 0, .sequence = 4})));
  EXPECT_FALSE(rank_1.needs_lb(1));
}

TEST(RecordedPlacement, ReportsDamagedAndMissingFiles) {
  EXPECT_ERROR(placement_of(R"({"phases":[{"id":0,"tasks":[{}]}]})"), bad_input, "data.3.json");
  EXPECT_ERROR(placement_of(R"({"phases":[)"), bad_input, "data.3.json");
  EXPECT_ERROR(RecordedPlacement::read("/does/not/exist"), system, "/does/not/exist");
}

}  // namespace
}  // namespace plimsoll::balance
