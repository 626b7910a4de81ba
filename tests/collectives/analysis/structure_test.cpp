#include <gtest/gtest.h>

#include <functional>

#include <plimsoll/collectives/patterns.hpp>

#include "collectives/profiles.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

/// Returns the structure of a call in which rank i of n sends to j if sends(i, j).
Structure structure(std::size_t n, const std::function<bool(std::size_t, std::size_t)>& sends) {
  Counts counts = uniform(n, 0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) counts[i][j] = sends(i, j) ? static_cast<std::int64_t>(i + 1) : 0;
  return structure_of(sending(counts, "0"));
}

StructureClass class_of(std::size_t n, const std::function<bool(std::size_t, std::size_t)>& sends) {
  return structure(n, sends).kind;
}

TEST(Structure, OfRingOfSixIsHaloOfDegreeTwo) {
  const Structure ring = structure(6, [](auto i, auto j) { return j == (i + 1) % 6 || i == (j + 1) % 6; });
  EXPECT_EQ(ring.kind, StructureClass::halo);
  EXPECT_EQ(ring.senders, 6u);
  EXPECT_EQ(ring.receivers, 6u);
  EXPECT_EQ(ring.sends_to, (Degree{2, 2}));
  EXPECT_EQ(ring.receives_from, (Degree{2, 2}));
  EXPECT_TRUE(ring.symmetric);
}

// In a grid of 4 x 4, corners have 2 neighbours and inner ranks have 4. Data to oneself change nothing.
TEST(Structure, OfGridIsHalo) {
  const auto neighbours = [](std::size_t i, std::size_t j) {
    const auto distance = [](std::size_t a, std::size_t b) { return a > b ? a - b : b - a; };
    return distance(i / 4, j / 4) + distance(i % 4, j % 4) <= 1;
  };
  const Structure grid = structure(16, neighbours);
  EXPECT_EQ(grid.kind, StructureClass::halo);
  EXPECT_EQ(grid.sends_to, (Degree{2, 4}));
}

TEST(Structure, OfRingWithOneDirectionMissingIsIrregular) {
  const auto sends = [](std::size_t i, std::size_t j) {
    return (i != 0 || j != 1) && (j == (i + 1) % 6 || i == (j + 1) % 6);
  };
  EXPECT_EQ(class_of(6, sends), StructureClass::irregular);
  EXPECT_FALSE(structure(6, sends).symmetric);
}

TEST(Structure, OfAlltoallStaysDenseWithoutOneMessage) {
  EXPECT_EQ(class_of(4, [](auto, auto) { return true; }), StructureClass::dense);
  EXPECT_EQ(class_of(4, [](auto i, auto j) { return i != 2 || j != 0; }), StructureClass::dense);
  // Ranks 0 to 2 send to ranks 3 to 5: all 9 pairs, 7 of them (more than 3/4), and 6 of them.
  EXPECT_EQ(class_of(6, [](auto i, auto j) { return i < 3 && j >= 3; }), StructureClass::dense);
  EXPECT_EQ(class_of(6, [](auto i, auto j) { return i < 3 && j >= 3 && (i > 0 || j == 3); }),
            StructureClass::dense);
  EXPECT_EQ(class_of(6, [](auto i, auto j) { return i < 3 && j >= 3 && i + 3 != j; }),
            StructureClass::irregular);
}

TEST(Structure, DistinguishesOneAndSeveralPartners) {
  EXPECT_EQ(class_of(4, [](auto i, auto j) { return i / 2 == j / 2 && i != j; }), StructureClass::pairwise);
  EXPECT_EQ(class_of(4, [](auto i, auto j) { return j == (i + 1) % 4; }), StructureClass::shift);
  EXPECT_EQ(class_of(4, [](auto i, auto j) { return i == 0 && j == 1; }), StructureClass::shift);
  EXPECT_EQ(class_of(4, [](auto, auto j) { return j == 0; }), StructureClass::gather);
  EXPECT_EQ(class_of(8, [](auto i, auto j) { return j == i / 4 * 4; }), StructureClass::gather);
  EXPECT_EQ(class_of(4, [](auto i, auto) { return i == 3; }), StructureClass::scatter);
  EXPECT_EQ(class_of(4, [](auto, auto) { return false; }), StructureClass::empty);
  EXPECT_EQ(class_of(4, [](auto i, auto j) { return i == j; }), StructureClass::local);
}

TEST(Structure, OfSeparateGroupsIsTranspose) {
  const auto rows_of_grid = [](std::size_t i, std::size_t j) { return i / 4 == j / 4; };
  EXPECT_EQ(class_of(12, rows_of_grid), StructureClass::transpose);
  // A bridge between two groups makes it a halo exchange.
  const auto bridge = [&](std::size_t i, std::size_t j) {
    return rows_of_grid(i, j) || (i == 3 && j == 4) || (i == 4 && j == 3);
  };
  EXPECT_EQ(class_of(12, bridge), StructureClass::halo);
}

TEST(Structure, AppliesSingleCountToAllPeers) {
  Signature broadcast{.operation = {Exchange::allgatherv}, .comm_size = 3};
  broadcast.send = {8, {}, matrix_of({{0}, {4}, {0}})};
  broadcast.recv = {8, {}, matrix_of({{0, 4, 0}, {0, 4, 0}, {0, 4, 0}})};
  EXPECT_EQ(structure_of(broadcast).kind, StructureClass::scatter);
}

// 2 ranks send to 3 ranks of the other group; equal numbers do not mean equal ranks.
TEST(Structure, OfInterCommunicatorHasPartnersInOtherGroup) {
  Signature inter{.comm_size = 2};
  inter.send = {1, {}, matrix_of({{1, 1, 1}, {1, 1, 1}})};
  inter.recv = {1, {}, matrix_of({{0, 0, 0}, {0, 0, 0}})};
  const Structure structure = structure_of(inter);
  EXPECT_EQ(structure.kind, StructureClass::dense);
  EXPECT_EQ(structure.sends_to, (Degree{3, 3}));
  EXPECT_EQ(structure.receives_from, (Degree{2, 2}));
  EXPECT_FALSE(structure.symmetric);
}

// Of two groups of two ranks, each rank exchanges data with the rank of the same number in the other group.
TEST(Structure, IncludesBothGroupsOfInterCommunicator) {
  const Counts diagonal = {{1, 0}, {0, 1}};
  const Structure pairs = structure_of(sending(diagonal, "0"), 2);
  EXPECT_EQ(pairs.kind, StructureClass::pairwise);
  EXPECT_EQ(pairs.senders, 4u);
  EXPECT_EQ(pairs.receivers, 4u);
  EXPECT_EQ(structure_of(sending(uniform(2, 1), "0"), 2).kind, StructureClass::dense);
  Signature one_way = sending(uniform(2, 1), "0");
  one_way.send.matrix = matrix_of(uniform(2, 0));
  const Structure structure = structure_of(one_way, 2);
  EXPECT_EQ(structure.kind, StructureClass::dense) << "the other group sends";
  EXPECT_EQ(structure.senders, 2u);
  EXPECT_EQ(structure.receivers, 2u);
  EXPECT_FALSE(structure.symmetric);
}

}  // namespace
}  // namespace plimsoll::collectives
