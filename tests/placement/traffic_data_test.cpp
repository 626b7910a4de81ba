#include <gtest/gtest.h>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/lbdata/validator.hpp>
#include <plimsoll/lbdata/writer.hpp>
#include <plimsoll/placement/traffic_data.hpp>

#include "collectives/profiles.hpp"
#include "common/temporary_folder.hpp"

namespace plimsoll::PLIMSOLL_ABI::placement {
namespace {

collectives::Profile profile_of_three() {
  collectives::Profile profile;
  profile.world_size = 3;
  profile.leads.emplace_back().signatures.push_back(
      collectives::sending({{1, 2, 0}, {0, 1, 3}, {0, 0, 0}}, "0-4", 8));
  return profile;
}

TEST(TrafficData, ContainsOneObjectPerRankAndTheirTraffic) {
  const TrafficData data = traffic_data(profile_of_three());
  EXPECT_FALSE(data.has_times);
  const balance::LDStats stats = balance::load_phase(data.dataset, 0).stats;
  ASSERT_EQ(stats.n_objs(), 3);
  EXPECT_EQ(stats.n_migrateobjs(), 3);
  EXPECT_EQ(stats.from_proc, (std::vector<std::int32_t>{0, 1, 2}));
  for (const balance::LDObjData& object : stats.obj_data) EXPECT_EQ(object.walltime, 1);
  ASSERT_EQ(stats.n_comm(), 2);
  EXPECT_EQ(stats.comm_data[0].sender, balance::CommEnd::object(0));
  EXPECT_EQ(stats.comm_data[0].receiver, balance::CommEnd::object(1));
  EXPECT_EQ(stats.comm_data[0].bytes, 80);
  EXPECT_EQ(stats.comm_data[0].messages, 5);
  EXPECT_EQ(stats.comm_data[1].sender, balance::CommEnd::object(1));
  EXPECT_EQ(stats.comm_data[1].receiver, balance::CommEnd::object(2));
  EXPECT_EQ(stats.comm_data[1].bytes, 120);
}

TEST(TrafficData, UsesTimeBetweenCollectivesAsLoad) {
  collectives::Profile profile = profile_of_three();
  collectives::RankValues begin;
  begin.comm_size = 3;
  begin.calls = {0, 1};
  begin.values = {1, 1, 1, 5, 6, 7};
  collectives::RankValues execution = begin;
  execution.values.assign(6, 0.5);
  profile.leads[0].begin_s.push_back(begin);
  profile.leads[0].execution_s.push_back(execution);
  const TrafficData data = traffic_data(profile);
  EXPECT_TRUE(data.has_times);
  for (std::size_t rank = 0; rank < 3; ++rank)
    EXPECT_EQ(data.dataset.ranks[rank].phases[0].tasks.time_s[0], 3.5 + double(rank));
}

TEST(TrafficData, ContainsNodeOfEachRank) {
  collectives::Profile profile = profile_of_three();
  profile.leads[0].communicators.push_back(collectives::communicator(0, "0-2", "0-4"));
  profile.leads[0].communicators[0].hosts = {"z", "a", "z"};
  const TrafficData data = traffic_data(profile);
  EXPECT_EQ(data.dataset.ranks[2].metadata.shared_node,
            (lbdata::SharedNode{.id = 0, .size = 2, .rank = 1, .num_nodes = 2}));
  EXPECT_EQ(data.dataset.ranks[1].metadata.shared_node,
            (lbdata::SharedNode{.id = 1, .size = 1, .rank = 0, .num_nodes = 2}));
}

TEST(TrafficData, WritesValidFiles) {
  const plimsoll::testing::TemporaryFolder folder;
  lbdata::write(traffic_data(profile_of_three()).dataset, folder.path(), "data");
  const lbdata::ValidationReport report = lbdata::validate(lbdata::find_rank_files({folder.path()}));
  for (const Diagnostic& finding : report.findings) ADD_FAILURE() << to_string(finding);
  EXPECT_EQ(report.files, 3U);
  EXPECT_EQ(report.tasks, 3U);
  EXPECT_EQ(report.communications, 2U);
}

}  // namespace
}  // namespace plimsoll::placement
