#include "collectives/analysis/typed_rows.hpp"

#include <gtest/gtest.h>

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

TEST(TypedRows, ApplySingleCountToEachPeer) {
  Signature allgatherv{.operation = {Exchange::allgatherv}, .comm_size = 3};
  allgatherv.send = {4, {}, {1, {NumberList::up_to(3)}, {7}}};
  allgatherv.recv = {4, {}, {3, {NumberList::up_to(3)}, {7, 7, 7}}};
  EXPECT_EQ(bytes_of(allgatherv, allgatherv.send), 3U * 3 * 7 * 4);
  EXPECT_EQ(bytes_of(allgatherv, allgatherv.recv), 3U * 3 * 7 * 4);
}

TEST(TypedRows, ApplySingleCountToEachRankOfRemoteGroup) {
  Signature alltoall{.operation = {Exchange::alltoall}, .comm_size = 2};
  alltoall.send = {4, {}, {1, {NumberList::up_to(2)}, {7}}};
  alltoall.recv = {4, {}, {1, {NumberList::up_to(2)}, {3}}};
  EXPECT_EQ(bytes_of(alltoall, alltoall.send, 5), 2U * 5 * 7 * 4);
  const Spread sent = bytes_per_rank(alltoall, Direction::send, 5);
  EXPECT_EQ(sent.values, 7U);
  EXPECT_EQ(sent.sum, 2U * 5 * 7 * 4 + 5U * 2 * 3 * 4);
}

TEST(TypedRows, ApplyCountToOnlyPeer) {
  Signature to_one{.operation = {Exchange::alltoallv}, .comm_size = 3};
  to_one.send = {4, {}, {1, {NumberList::up_to(3)}, {7}}};
  to_one.recv = to_one.send;
  EXPECT_EQ(bytes_of(to_one, to_one.send), 3U * 7 * 4);
}

TEST(TypedRows, SeparateRanksWithDifferentTypeSizes) {
  Signature signature{.operation = {Exchange::alltoallv}, .comm_size = 3};
  signature.send = {4, {4, 8, 4}, {3, {NumberList::up_to(3)}, {1, 2, 3}}};
  signature.recv = {1, {}, {3, {NumberList::up_to(3)}, {0, 0, 0}}};
  const std::vector<TypedRow> rows = rows_of(signature, signature.send);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].ranks.to_string(), "0, 2");
  EXPECT_EQ(rows[1].ranks.to_string(), "1");
  EXPECT_EQ(bytes_of(signature, signature.send), 2U * 6 * 4 + 6 * 8);
}

}  // namespace
}  // namespace plimsoll::collectives
