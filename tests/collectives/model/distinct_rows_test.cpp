#include "collectives/model/distinct_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "collectives/profiles.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Adds a row. All rows have the same hash.
void add(DistinctRows& rows, std::uint64_t rank, const std::vector<std::int64_t>& numbers) {
  const DistinctRows::Row row = rows.row(7, [&](std::uint32_t position) {
    return std::ranges::equal(numbers,
                              std::span(rows.numbers()).subspan(position * numbers.size(), numbers.size()));
  });
  row.ranks.push_back(rank);
  if (row.is_new) rows.numbers().insert(rows.numbers().end(), numbers.begin(), numbers.end());
}

TEST(DistinctRows, JoinsEqualRowsRegardlessOfHash) {
  DistinctRows rows;
  add(rows, 0, {1, 2});
  add(rows, 1, {2, 1});
  add(rows, 2, {1, 2});
  const CountMatrix matrix = rows.take(2);
  EXPECT_EQ(matrix.columns, 2);
  EXPECT_THAT(matrix.counts, ElementsAre(1, 2, 2, 1));
  ASSERT_EQ(matrix.rows(), 2);
  EXPECT_EQ(matrix.ranks[0].to_string(), "0, 2");
  EXPECT_EQ(matrix.ranks[1].to_string(), "1");
}

TEST(DistinctRows, SortsByLowestRank) {
  DistinctRows rows;
  add(rows, 3, {7});
  add(rows, 1, {8});
  add(rows, 2, {9});
  add(rows, 0, {9});
  EXPECT_THAT(rows.take(1).counts, ElementsAre(9, 8, 7));
}

TEST(DistinctRows, StartsEmptyAfterEachMatrix) {
  DistinctRows rows;
  add(rows, 0, {1});
  rows.take(1);
  EXPECT_TRUE(rows.empty());
  add(rows, 0, {1});
  EXPECT_THAT(rows.take(1).counts, ElementsAre(1));
  EXPECT_THAT(rows.take(0).counts, IsEmpty());
}

}  // namespace

namespace {

TEST(SignatureIndex, FindsCountSetsRegardlessOfCalls) {
  std::vector<Signature> list;
  SignatureIndex index;
  EXPECT_EQ(index.add(list, sending({{0, 1}, {2, 0}}, "0")), 0);
  EXPECT_EQ(index.add(list, sending({{0, 1}, {3, 0}}, "1")), 1);
  EXPECT_EQ(index.add(list, sending({{0, 1}, {3, 0}}, "7-9")), 1);
  EXPECT_EQ(index.add(list, sending({{0, 1}, {2, 0}}, "5")), 0);
  EXPECT_EQ(index.add(list, sending({{0, 1}, {2, 0}}, "5", 8)), 2) << "another type size";
  EXPECT_EQ(list[1].calls.to_string(), "1, 7-9");
}

}  // namespace
}  // namespace plimsoll::collectives
