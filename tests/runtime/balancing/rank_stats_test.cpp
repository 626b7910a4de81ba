#include "runtime/balancing/rank_stats.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

/// Objects 10 to 13 on rank 0 of 4 ranks.
const std::vector<ObjectId> ids = {ObjectId{10}, ObjectId{11}, ObjectId{12}, ObjectId{13}};

Move move(int object, int to) {
  return {ObjectId{static_cast<std::uint64_t>(object)}, 0, to};
}

/// Positions in `ids` of the objects that leave, and their new ranks.
using Leaving = std::vector<std::pair<std::uint32_t, int>>;

Leaving leaving(const std::vector<Move>& decided, const std::vector<Move>& requested) {
  Leaving result;
  for (const LeavingObject& object : leaving_objects(ids, decided, requested))
    result.emplace_back(object.object, object.to);
  return result;
}

TEST(MigrationRequests, AreAddedToDecisions) {
  EXPECT_EQ(leaving({}, {}), Leaving{});
  EXPECT_EQ(leaving({move(11, 3)}, {}), (Leaving{{1, 3}}));
  EXPECT_EQ(leaving({move(11, 3)}, {move(10, 2)}), (Leaving{{0, 2}, {1, 3}}));
}

TEST(MigrationRequests, ReplaceDecisions) {
  EXPECT_EQ(leaving({move(11, 3), move(12, 3)}, {move(12, 1)}), (Leaving{{1, 3}, {2, 1}}));
}

TEST(MigrationRequests, KeepObjectsOnTheirRank) {
  EXPECT_EQ(leaving({move(11, 3), move(12, 3)}, {move(12, 0), move(13, 0)}), (Leaving{{1, 3}}));
}

TEST(MigrationRequests, MustNameRanksThatExistAndObjectsHere) {
  expect_valid(ids, std::vector{move(10, 0), move(13, 3)}, 4);
  EXPECT_ERROR(expect_valid(ids, std::vector{move(10, 4)}, 4), usage, "invalid rank 4 in a request");
  EXPECT_ERROR(expect_valid(ids, std::vector{move(10, -1)}, 4), usage, "invalid rank -1 in a request");
  EXPECT_ERROR(expect_valid(ids, std::vector{move(14, 1)}, 4), usage, "not registered on this rank");
}

}  // namespace
}  // namespace plimsoll::runtime
