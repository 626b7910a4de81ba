#include "collectives/analysis/typed_rows.hpp"

#include <gtest/gtest.h>

#include <random>

#include <plimsoll/collectives/summary.hpp>

#include "collectives/profiles.hpp"

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

namespace {

Signature with(const Counts& send, const Counts& recv, std::uint64_t send_size = 1,
               std::uint64_t recv_size = 1) {
  Signature signature = sending(send, "0");
  signature.send.type_size = send_size;
  signature.recv = {recv_size, {}, matrix_of(recv)};
  return signature;
}

TEST(Consistency, AcceptsReceiveMatrixThatTransposesSendMatrix) {
  EXPECT_EQ(first_mismatch(sending({{1, 2, 3}, {4, 5, 6}, {1, 2, 3}}, "0")), std::nullopt);
}

TEST(Consistency, ComparesBytesInsteadOfElements) {
  EXPECT_EQ(first_mismatch(with(uniform(2, 2), uniform(2, 1), 4, 8)), std::nullopt);
  EXPECT_EQ(first_mismatch(with(uniform(2, 2), uniform(2, 2), 4, 8)), (Mismatch{0, 0, 8, 16}));
}

TEST(Consistency, FindsFirstMismatchedPair) {
  EXPECT_EQ(first_mismatch(with({{1, 2}, {3, 4}}, {{1, 9}, {2, 4}})), (Mismatch{1, 0, 3, 9}));
}

TEST(Consistency, AppliesSingleCountToAllPeers) {
  const auto as = [](Exchange exchange, Signature signature) {
    signature.operation = {exchange};
    return first_mismatch(signature);
  };
  const Counts fives = {{5}, {5}, {5}};
  const Counts fours = {{4}, {4}, {4}};
  EXPECT_EQ(as(Exchange::alltoall, with(fives, fives)), std::nullopt);
  EXPECT_EQ(as(Exchange::alltoall, with(fives, fours)), (Mismatch{0, 0, 5, 4}));
  EXPECT_EQ(as(Exchange::allgatherv, with({{1}, {2}, {3}}, {{1, 2, 3}, {1, 2, 3}, {1, 0, 3}})),
            (Mismatch{1, 2, 2, 0}));
  EXPECT_EQ(as(Exchange::alltoallv, with(fives, fours)),
            std::nullopt);  // inter-communicator: the remote group has one rank
}

TEST(Consistency, SkipsInterCommunicators) {
  EXPECT_EQ(first_mismatch(with({{1, 2, 3}}, {{7, 8, 9}})), std::nullopt);
}

std::optional<Mismatch> by_brute_force(const Counts& send, const Counts& recv) {
  for (std::uint32_t i = 0; i < send.size(); ++i)
    for (std::uint32_t j = 0; j < send.size(); ++j)
      if (send[i][j] != recv[j][i])
        return Mismatch{i, j, static_cast<std::uint64_t>(send[i][j]), static_cast<std::uint64_t>(recv[j][i])};
  return std::nullopt;
}

TEST(Consistency, AgreesWithBruteForce) {
  std::mt19937 random(7);
  std::size_t wrong = 0;
  for (int repeat = 0; repeat < 3000; ++repeat) {
    const std::size_t n = 1 + random() % 6;
    Counts send = uniform(n, 0);
    for (auto& row : send)
      for (auto& count : row) count = static_cast<std::int64_t>(random() % 2);
    if (n > 1) send[1] = send[0];
    Counts recv = transposed(send);
    if (random() % 2 == 0) recv[random() % n][random() % n] = 2;
    if (random() % 2 == 0) recv[random() % n] = recv[random() % n];
    const auto expected = by_brute_force(send, recv);
    EXPECT_EQ(first_mismatch(with(send, recv)), expected);
    wrong += expected ? 1 : 0;
  }
  EXPECT_GT(wrong, 500u);
  EXPECT_LT(wrong, 2900u);
}

}  // namespace
}  // namespace plimsoll::collectives
