#include "runtime/recording/edge_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

using lbdata::CommCategory;

using Key = std::tuple<int, std::uint64_t, int, std::uint64_t, CommCategory>;
struct Volume {
  std::uint64_t bytes = 0;
  std::uint64_t messages = 0;
  friend bool operator==(const Volume&, const Volume&) = default;
};
using Volumes = std::map<Key, Volume>;

Key key(Endpoint from, Endpoint to, CommCategory category) {
  return {static_cast<int>(from.kind()), from.number(), static_cast<int>(to.kind()), to.number(), category};
}

Volumes volumes(const EdgeTable& table) {
  Volumes result;
  for (const EdgeTable::Edge& edge : table.edges()) {
    if (edge.messages == 0) continue;
    EXPECT_TRUE(
        result.emplace(key(edge.from, edge.to, edge.category), Volume{edge.bytes, edge.messages}).second)
        << "duplicate edge";
  }
  return result;
}

Endpoint random_end(std::mt19937& random, std::uint64_t range) {
  const std::uint64_t number = random() % range;
  switch (random() % 3) {
    case 0: return Endpoint::node(static_cast<int>(number));
    case 1: return Endpoint::shared_block(number);
    default: return ObjectId{number};
  }
}

TEST(EdgeTable, BehavesLikeMapOverManyPhases) {
  std::mt19937 random(11);
  EdgeTable table;
  for (int phase = 0; phase < 60; ++phase) {
    Volumes expected;
    const std::uint64_t range = phase % 7 == 0 ? 200 : 1 + random() % 20;
    const int count = phase % 11 == 5 ? 0 : static_cast<int>(random() % 5000);
    for (int k = 0; k < count; ++k) {
      const Endpoint from = random_end(random, range);
      const Endpoint to = random_end(random, range);
      const auto category = CommCategory(1 + random() % 10);
      const std::uint64_t bytes = random() % 1000;
      const std::uint64_t messages = 1 + random() % 3;
      table.add(from, to, category, bytes, messages);
      Volume& volume = expected[key(from, to, category)];
      volume.bytes += bytes;
      volume.messages += messages;
    }
    ASSERT_EQ(volumes(table), expected) << "phase " << phase;
    table.end_phase();
    ASSERT_TRUE(volumes(table).empty());
    ASSERT_LE(table.size(), 2 * std::max<std::size_t>(expected.size(), 0)) << "the table keeps unused edges";
  }
}

// Programs that replace their objects have as many edges of the old objects as of the new ones.
TEST(EdgeTable, DropsUnusedHalf) {
  EdgeTable table;
  for (std::uint64_t phase = 0; phase < 3; ++phase) {
    for (std::uint64_t k = 0; k < 10; ++k)
      table.add(ObjectId{1}, ObjectId{10 * phase + k}, CommCategory::Broadcast, 1, 1);
    table.end_phase();
    EXPECT_EQ(table.size(), 10);
  }
}

TEST(EdgeTable, DistinguishesDirectionsKindsAndCategories) {
  EdgeTable table;
  const ObjectId one{1};
  const ObjectId two{2};
  table.add(one, two, CommCategory::SendRecv, 1, 1);
  table.add(two, one, CommCategory::SendRecv, 2, 1);
  table.add(one, two, CommCategory::Broadcast, 4, 1);
  table.add(Endpoint::node(1), two, CommCategory::SendRecv, 8, 1);
  table.add(one, one, CommCategory::SendRecv, 16, 1);
  table.add(one, two, CommCategory::SendRecv, 32, 5);
  EXPECT_EQ(table.size(), 5U);
  EXPECT_EQ(volumes(table).at(key(one, two, CommCategory::SendRecv)), (Volume{33, 6}));
}

TEST(EdgeTable, KeepsVolumesBeyond32Bits) {
  EdgeTable table;
  constexpr std::uint64_t many = std::uint64_t{3} << 40;
  table.add(ObjectId{1}, ObjectId{2}, CommCategory::SendRecv, many, many);
  table.add(ObjectId{1}, ObjectId{2}, CommCategory::SendRecv, 1, 1);
  EXPECT_EQ(table.edges()[0].bytes, many + 1);
  EXPECT_EQ(table.edges()[0].messages, many + 1);
}

TEST(EdgeTable, FindsEachOfManyEdges) {
  EdgeTable table;
  constexpr std::uint64_t count = 200'000;
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t k = 0; k < count; ++k) {
      table.add(ObjectId{k << 18 | 3}, ObjectId{(k + 1) << 18 | 3}, CommCategory::SendRecv, k, 1);
    }
  }
  ASSERT_EQ(table.size(), count);
  for (std::uint64_t k = 0; k < count; ++k) ASSERT_EQ(table.edges()[k].bytes, 2 * k);
}

TEST(EdgeTable, CachesResolvedEndpointsOfUsedEdges) {
  EdgeTable table;
  table.add(ObjectId{1}, ObjectId{2}, CommCategory::SendRecv, 1, 1);
  table.edges()[0].from_entity = 5;
  table.edges()[0].to_entity = 6;
  table.end_phase();
  table.add(ObjectId{1}, ObjectId{2}, CommCategory::SendRecv, 1, 1);
  EXPECT_EQ(table.edges()[0].from_entity, 5U);
  table.unresolve();
  EXPECT_EQ(table.edges()[0].from_entity, EdgeTable::unresolved);
  EXPECT_EQ(table.edges()[0].to_entity, EdgeTable::unresolved);
}

}  // namespace
}  // namespace plimsoll::runtime
