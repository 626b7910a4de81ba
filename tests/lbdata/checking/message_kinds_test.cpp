#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/validator.hpp>

#include "common/shared_data.hpp"
#include "common/temporary_folder.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string object(std::uint64_t id, int home) {
  return fmt::format(R"({{"home":{},"id":{},"migratable":{},"type":"object"}})", home, id, (id & 3) == 3);
}

/// Element `number` of a collection on rank `home`, the object of the rank itself, and the rank.
std::string element(int home, std::uint64_t number) {
  return object((number << 18) + static_cast<unsigned>(home) * 4 + 3, home);
}
std::string rank_object(int rank) {
  return object(static_cast<unsigned>(rank) * 4 + 1, rank);
}
std::string node(int rank) {
  return fmt::format(R"({{"id":{},"type":"node"}})", rank);
}

struct Edge {
  std::string from;
  std::string to;
  double bytes = 1;
  std::string type = "SendRecv";
};

/// Writes a data set with two ranks, which have elements 1 and 2 and their rank object, and the edges of each
/// rank. Returns the names of the checks that warn. Validation and the data set in memory must agree.
std::vector<std::string> warnings(const std::vector<std::vector<Edge>>& edges_of_ranks,
                                  const std::vector<std::string>& checks = {"local-messages",
                                                                            "object-messages"}) {
  const plimsoll::testing::TemporaryFolder folder;
  std::vector<RankFile> files;
  for (int rank = 0; rank < 2; ++rank) {
    std::string tasks;
    for (const std::string& entity : {element(rank, 1), element(rank, 2), rank_object(rank)})
      tasks += fmt::format(R"({}{{"entity":{},"node":{},"resource":"cpu","time":1.0}})",
                           tasks.empty() ? "" : ",", entity, rank);
    std::string edges;
    for (const Edge& edge : edges_of_ranks[static_cast<std::size_t>(rank)])
      edges += fmt::format(R"({}{{"bytes":{:.1f},"from":{},"messages":1,"to":{},"type":"{}"}})",
                           edges.empty() ? "" : ",", edge.bytes, edge.from, edge.to, edge.type);
    files.push_back({rank, folder / fmt::format("data.{}.json", rank)});
    std::ofstream(files.back().path) << fmt::format(
        R"({{"type":"LBDatafile","phases":[{{"id":0,"communications":[{}],"tasks":[{}]}}]}})", edges, tasks);
  }
  const auto names = [](const std::vector<Diagnostic>& found) {
    std::vector<std::string> result;
    for (const Diagnostic& each : found) result.push_back(each.check);
    return result;
  };
  ValidateOptions options;
  options.checks = checks;
  const ValidationReport report = validate(files, options);
  EXPECT_TRUE(report.valid());
  if (checks.size() == 2) {
    const Dataset dataset = read(files).dataset;
    EXPECT_EQ(names(message_warnings(message_kinds(dataset), 2)), names(report.findings));
  }
  return names(report.findings);
}

TEST(MessageKinds, WarnIfNoMessageStaysOnRank) {
  const Edge off_rank{element(0, 1), element(1, 1)};
  const Edge back{element(1, 2), element(0, 2)};
  EXPECT_THAT(warnings({{off_rank}, {back}}), ElementsAre("local-messages"));
  EXPECT_THAT(warnings({{off_rank}, {back, {element(1, 1), element(1, 2)}}}), IsEmpty());
  EXPECT_THAT(warnings({{off_rank}, {back, {element(1, 1), element(1, 1)}}}), ElementsAre("local-messages"))
      << "messages of an object to itself cost nothing anywhere";
  EXPECT_THAT(warnings({{off_rank}, {}}), IsEmpty()) << "a single edge may leave its rank by chance";
  EXPECT_THAT(warnings({{}, {}}), IsEmpty());
  EXPECT_THAT(warnings({{off_rank}, {back}}, {"object-messages"}), IsEmpty());
}

TEST(MessageKinds, WarnIfMostBytesEndAtRanks) {
  const Edge local{element(0, 1), element(0, 2), 10};
  EXPECT_THAT(warnings({{local, {element(0, 1), node(1), 11}}, {}}), ElementsAre("object-messages"));
  EXPECT_THAT(warnings({{local, {rank_object(1), element(0, 1), 11}}, {}}), ElementsAre("object-messages"));
  EXPECT_THAT(warnings({{local, {rank_object(1), rank_object(0), 11}}, {}}), ElementsAre("object-messages"));
  EXPECT_THAT(warnings({{local, {node(1), element(0, 1), 9}}, {}}), IsEmpty());
}

TEST(MessageKinds, DoNotWarnOfBroadcastsOfRanks) {
  const Edge local{element(0, 1), element(0, 2), 10};
  const auto warnings_with = [&](const std::string& from, const std::string& to, const char* type) {
    return warnings({{local, {from, to, 1000, type}}, {}});
  };
  EXPECT_THAT(warnings_with(rank_object(0), rank_object(1), "Broadcast"), IsEmpty());
  EXPECT_THAT(warnings_with(element(0, 1), node(1), "CollectionToNodeBcast"), IsEmpty());
  EXPECT_THAT(warnings_with(node(1), element(0, 1), "NodeToCollectionBcast"), IsEmpty());
  EXPECT_THAT(warnings_with(node(1), element(0, 1), "CollectiveToCollectionBcast"), IsEmpty());
  EXPECT_THAT(warnings_with(node(1), element(0, 1), "NodeToCollection"), ElementsAre("object-messages"));
  EXPECT_THAT(warnings_with(rank_object(0), element(0, 1), "LocalInvoke"), ElementsAre("object-messages"));

  const Edge broadcast{node(1), element(0, 1), 1000, "NodeToCollectionBcast"};
  EXPECT_THAT(warnings({{local, broadcast, {node(1), element(0, 1), 11}}, {}}),
              ElementsAre("object-messages"))
      << "broadcasts do not hide other messages of ranks";
}

TEST(MessageKinds, RecogniseRankObjects) {
  EXPECT_TRUE(is_rank_object(1, 0, false));
  EXPECT_TRUE(is_rank_object(13, 3, false));
  EXPECT_FALSE(is_rank_object(13, 2, false)) << "the home differs";
  EXPECT_FALSE(is_rank_object(1, 0, true)) << "a plain number";
  EXPECT_FALSE(is_rank_object((1 << 18) + 2, 0, false)) << "an element that does not migrate";
}

TEST(MessageKinds, WarnOfNoneOfTheRealDataSets) {
  using plimsoll::testing::shared_path;
  PLIMSOLL_NEED_SHARED("data/lb/nolb-8color-16nodes-11firstphases");
  for (const char* name : {"ccm_example", "challenging_toy_fewer_tasks", "nolb-8color-16nodes-11firstphases",
                           "synthetic-blocks/synthetic-dataset-blocks"}) {
    const auto files = find_rank_files({shared_path(std::string("data/lb/") + name)});
    EXPECT_THAT(message_warnings(message_kinds(read(files).dataset), files.size()), IsEmpty()) << name;
  }
}

}  // namespace
}  // namespace plimsoll::lbdata
