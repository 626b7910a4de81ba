#include "balance/strategies/prescribed_lb/prescribed_lb.hpp"

#include <gtest/gtest.h>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/database/dataset_factory.hpp"
#include "balance/stats_factory.hpp"
#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using testing::balance_with;

LDStats three_objects() {
  LDStats stats = testing::stats_of(3, {1, 1, 1}, {0, 0, 1});
  stats.numbers = {30, 10, 20};
  return stats;
}

std::vector<std::int32_t> placed(const std::string& placement, LDStats stats = three_objects()) {
  balance_with("PrescribedLB", stats, {{"placement", placement}});
  return stats.to_proc;
}

std::string complaint(const std::string& placement, const LDStats& stats = three_objects()) {
  const auto error = plimsoll::testing::error_of([&] { placed(placement, stats); });
  return error ? error->what() : "none";
}

TEST(PrescribedLB, ReadsRanksInOrderOfObjectNumbers) {
  const std::vector<std::int32_t> expected = {2, 0, 1};
  EXPECT_EQ(placed("0,1,2"), expected);
  EXPECT_EQ(placed("[0, 1, 2]\n"), expected);
  EXPECT_EQ(placed("0\n1\n2"), expected);
}

TEST(PrescribedLB, ReadsPairsOfObjectAndRank) {
  const std::vector<std::int32_t> expected = {2, 0, 1};
  EXPECT_EQ(placed("20: 1, 30: 2, 10: 0"), expected);
  EXPECT_EQ(placed(R"({"20": 1, "30": 2, "10": 0})"), expected);
  EXPECT_EQ(placed("{20: 1, 30: 2, 10: 0}"), expected);
  EXPECT_EQ(placed("object,rank\n20,1\n30,2\n10,0\n"), expected);
}

TEST(PrescribedLB, NumbersObjectsByIndexIfNumbersAreMissing) {
  EXPECT_EQ(placed("0:1, 1:2", testing::stats_of(3, {1, 1}, {0, 0})), (std::vector<std::int32_t>{1, 2}));
}

TEST(PrescribedLB, Accepts64BitNumbers) {
  LDStats stats = testing::stats_of(2, {1, 1}, {0, 0});
  stats.numbers = {18446744073709551615u, 5};
  EXPECT_EQ(placed("18446744073709551615:1, 5:0", stats), (std::vector<std::int32_t>{1, 0}));
}

TEST(PrescribedLB, ReadsFile) {
  const plimsoll::testing::TemporaryFolder folder;
  const std::string path = folder.write("placement.csv", "id,rank\n10,0\n20,1\n30,2\n");
  LDStats stats = three_objects();
  balance_with("PrescribedLB", stats, {{"file", path}});
  EXPECT_EQ(stats.to_proc, (std::vector<std::int32_t>{2, 0, 1}));
}

TEST(PrescribedLB, ReadsPlacementFromPhaseOfDataSet) {
  const plimsoll::testing::TemporaryFolder folder;
  const auto task = [](int number, int rank, bool migratable) {
    return R"({"entity":{"home":0,"id":)" + std::to_string(number) + R"(,"migratable":)" +
           (migratable ? "true" : "false") + R"(,"type":"object"},"node":)" + std::to_string(rank) +
           R"(,"resource":"cpu","time":1.0})";
  };
  const auto phase = [](int id, const std::string& tasks) {
    return R"({"id":)" + std::to_string(id) + R"(,"tasks":[)" + tasks + "]}";
  };
  for (int rank = 0; rank < 2; ++rank)
    folder.write("data." + std::to_string(rank) + ".json",
                 R"({"type":"LBDatafile","phases":[)" +
                     phase(0, task(0, rank, false) + "," + task(10 + rank, rank, true)) + "," +
                     phase(1, task(0, rank, false) + "," + task(11 - rank, rank, true)) + "]}");
  LDStats stats = testing::stats_of(2, {1, 1, 1, 1}, {0, 0, 1, 1});
  stats.numbers = {0, 10, 0, 11};
  stats.obj_data[0].migratable = stats.obj_data[2].migratable = false;
  balance_with("PrescribedLB", stats, {{"data", folder.path()}});
  EXPECT_EQ(stats.to_proc, (std::vector<std::int32_t>{0, 1, 1, 0}));
  balance_with("PrescribedLB", stats, {{"data", folder.path()}, {"phase", "0"}});
  EXPECT_EQ(stats.to_proc, stats.from_proc);
}

TEST(PrescribedLB, UsesObjectNumbersOfPhase) {
  testing::DatasetFactory factory(2);
  factory.task(0, 7, 1);
  factory.task(1, 5, 1);
  EXPECT_EQ(load_phase(factory.dataset, 0).stats.numbers, (std::vector<std::uint64_t>{7, 5}));
}

TEST(PrescribedLB, RejectsInvalidPlacement) {
  EXPECT_NE(complaint("0,1").find("2 ranks for 3 objects"), std::string::npos) << complaint("0,1");
  EXPECT_NE(complaint("0,1,3").find("the phase has only 3 ranks"), std::string::npos) << complaint("0,1,3");
  EXPECT_NE(complaint("0,1,-1").find("rank -1"), std::string::npos) << complaint("0,1,-1");
  EXPECT_NE(complaint("10:0, 20:0, 40:0").find("object 40"), std::string::npos);
  EXPECT_NE(complaint("10:0, 20:0").find("missing rank for object 30"), std::string::npos);
  EXPECT_NE(complaint("10:0, 20:0, 30:0, 10:1").find("duplicate object 10"), std::string::npos);

  LDStats stats = three_objects();
  stats.obj_data[0].migratable = false;
  stats.procs[2].available = false;
  EXPECT_NE(complaint("0,0,1", stats).find("not migratable"), std::string::npos) << complaint("0,0,1", stats);
  EXPECT_NE(complaint("2,0,0", stats).find("not available"), std::string::npos) << complaint("2,0,0", stats);
  EXPECT_EQ(placed("10:0, 20:0", stats), (std::vector<std::int32_t>{0, 0, 0}));
}

TEST(PrescribedLB, ReportsLineOfInvalidText) {
  for (const char* text :
       {"a", "a,b,c", "1.5", "1,2x", "[1,2", "{1:2", "{1,2}", "1:2,3", "1:", "1,2:3", "[1:2]", "{\"1:2}",
        "[1] 2", "object,rank 1", "99999999999999999999", "-", "\"1", "[[1]]"})
    EXPECT_ERROR(parse_prescription(text, "text"), bad_input, "line 1 of text: ");
  EXPECT_ERROR(parse_prescription("1,\n2,\nx", "places.csv"), bad_input, "line 3 of places.csv: found \"x\"");
}

TEST(PrescribedLB, EscapesControlCharactersInMessages) {
  const auto error = plimsoll::testing::error_of([] { parse_prescription("\x1b[2J", "text"); });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(std::string(error->what()).find('\x1b'), std::string::npos);
}

TEST(PrescribedLB, RejectsNegativePhaseNumbers) {
  EXPECT_ERROR(StrategyRegistry::builtin().create("PrescribedLB", {{"data", "x"}, {"phase", "-2"}}), usage,
               R"(invalid value -2 for parameter "phase" of PrescribedLB)");
}

TEST(PrescribedLB, RequiresExactlyOnePlacement) {
  EXPECT_ERROR(StrategyRegistry::builtin().create("PrescribedLB"), usage,
               "requires exactly one of placement, file and data: none set");
  EXPECT_ERROR(StrategyRegistry::builtin().create("PrescribedLB", {{"placement", "1"}, {"file", "x"}}), usage,
               "requires exactly one of placement, file and data: several set");
}

}  // namespace
}  // namespace plimsoll::balance
