#include <gmock/gmock.h>

#include <cmath>

#include <plimsoll/balance/apply_placement.hpp>

#include "balance/database/dataset_factory.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using testing::DatasetFactory;
using ::testing::IsEmpty;

/// Creates objects 10 (load 4), 11 (2) and the non-migratable object 1 (1) on rank 0 of 2, and 20 (1) on
/// rank 1.
DatasetFactory one_phase() {
  DatasetFactory factory(2);
  factory.task(0, 10, 4);
  factory.task(0, 11, 2);
  factory.task(0, 1, 1, false);
  factory.task(1, 20, 1);
  return factory;
}

const std::vector<std::int32_t> placement = {0, 1, 0, 1};

TEST(LaterPhases, IsEmptyAfterLastPhase) {
  const DatasetFactory factory = one_phase();
  EXPECT_THAT(later_phases(factory.dataset, load_phase(factory.dataset, 0), placement, 0), IsEmpty());
}

TEST(LaterPhases, UsesLoadsOfLaterPhase) {
  DatasetFactory factory = one_phase();
  factory.task(0, 10, 6, true, 3);
  factory.task(0, 11, 3, true, 3);
  factory.task(0, 1, 1, false, 3);
  factory.task(1, 20, 2, true, 3);
  const auto later = later_phases(factory.dataset, load_phase(factory.dataset, 0), placement, 0);
  ASSERT_EQ(later.size(), 1u);
  EXPECT_EQ(later[0].phase, 3);
  EXPECT_EQ(later[0].mean_time_s, 6);
  EXPECT_EQ(later[0].max_time_s, 7);  // 6 + 1; rank 1: 3 + 2
  EXPECT_DOUBLE_EQ(later[0].imbalance, 7.0 / 6 - 1);
  EXPECT_EQ(later[0].recorded_max_time_s, 10);
  EXPECT_DOUBLE_EQ(later[0].recorded_imbalance, 10.0 / 6 - 1);
}

TEST(LaterPhases, IgnoresRecordedMigrations) {
  DatasetFactory factory = one_phase();
  factory.task(1, 10, 4, true, 1);  // migrated in the recording, but not with the placement
  factory.task(0, 11, 2, true, 1);
  factory.task(0, 20, 1, true, 1);
  const auto later = later_phases(factory.dataset, load_phase(factory.dataset, 0), placement, 0);
  ASSERT_EQ(later.size(), 1u);
  EXPECT_EQ(later[0].max_time_s, 4);  // 10 on rank 0; 11 and 20 on rank 1
  EXPECT_EQ(later[0].recorded_max_time_s, 4);
  EXPECT_DOUBLE_EQ(later[0].imbalance, 4.0 / 3.5 - 1);
}

TEST(LaterPhases, KeepsNewAndNonMigratableObjectsOnRecordedRanks) {
  DatasetFactory factory = one_phase();
  factory.task(1, 30, 5, true, 1);  // new
  factory.task(1, 1, 1, false, 1);  // non-migratable, recorded on another rank
  factory.task(0, 11, 2, true, 1);  // moves to rank 1; objects 10 and 20 no longer exist
  const auto later = later_phases(factory.dataset, load_phase(factory.dataset, 0), placement, 0);
  ASSERT_EQ(later.size(), 1u);
  EXPECT_EQ(later[0].max_time_s, 8);
  EXPECT_EQ(later[0].recorded_max_time_s, 6);
}

TEST(LaterPhases, FindsObjectsByNumberIfMembersDiffer) {
  DatasetFactory factory = one_phase();
  lbdata::Entity with_index;
  with_index.id = lbdata::WideInteger{11};
  with_index.migratable = true;
  with_index.collection_id = lbdata::WideInteger{7};
  factory.task(0, 11, 2, true, 1);
  factory.record(0, 1).tasks.entity[0] = factory.dataset.entities.intern(with_index);
  factory.task(1, 20, 1, true, 1);
  const auto later = later_phases(factory.dataset, load_phase(factory.dataset, 0), placement, 0);
  ASSERT_EQ(later.size(), 1u);
  EXPECT_EQ(later[0].max_time_s, 3);
}

TEST(LaterPhases, OmitsPhasesWithoutDataOnSomeRank) {
  DatasetFactory factory = one_phase();
  factory.task(0, 10, 6, true, 1);
  for (const std::size_t rank : {0, 1}) factory.record(rank, 2);
  for (lbdata::RankData& rank : factory.dataset.ranks)
    rank.metadata.phases.emplace().identical_to_previous.list = {3};
  const auto later = later_phases(factory.dataset, load_phase(factory.dataset, 0), placement, 0);
  ASSERT_EQ(later.size(), 2u);
  EXPECT_EQ(later[0].phase, 2);
  EXPECT_EQ(later[0].max_time_s, 0);
  EXPECT_TRUE(std::isnan(later[0].imbalance));
  EXPECT_EQ(later[1].phase, 3);
}

TEST(LaterPhases, RejectsInvalidPlacementsAndLoads) {
  DatasetFactory factory = one_phase();
  for (const std::size_t rank : {0, 1}) factory.record(rank, 1);
  const DatasetPhase phase = load_phase(factory.dataset, 0);
  EXPECT_ERROR(later_phases(factory.dataset, phase, std::vector<std::int32_t>{0}, 0), usage,
               "1 entries for 4");
  EXPECT_ERROR(later_phases(factory.dataset, phase, std::vector<std::int32_t>{0, 1, 0, 2}, 0), usage,
               "processor 2");
  factory.task(1, 20, -1, true, 1);
  EXPECT_ERROR(later_phases(factory.dataset, phase, placement, 0), bad_input, "phase 1");
  factory.record(1, 1).tasks.time_s[0] = 1e308;
  factory.task(1, 21, 1e308, true, 1);
  EXPECT_ERROR(later_phases(factory.dataset, phase, placement, 0), bad_input, "is not finite");
}

}  // namespace
}  // namespace plimsoll::balance
