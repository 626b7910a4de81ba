#include "runtime/balancing/directory_part.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

ObjectId table_object(std::uint64_t number) {
  return static_cast<ObjectId>(number);
}

TEST(OwnerTable, ReturnsPreviousRank) {
  OwnerTable table;
  const ObjectId id = table_object(0);
  EXPECT_EQ(table.rank_of(id), no_rank);
  EXPECT_EQ(table.set_rank(id, no_rank), no_rank);
  EXPECT_EQ(table.find(id), OwnerTable::none);
  EXPECT_EQ(table.set_rank(id, 5), no_rank);
  EXPECT_EQ(table.set_rank(id, 6), 5);
  EXPECT_EQ(table.size(), 1u);
  EXPECT_EQ(table.set_rank(id, no_rank), 6);
  EXPECT_EQ(table.size(), 0u);
}

TEST(OwnerTable, KeepsRanksAndNumbersWhenItRemovesUnusedRows) {
  OwnerTable table;
  for (int k = 0; k < 100; ++k) {
    table.set_rank(table_object(k), k);
    table.set_extra(table.find(table_object(k)), 1000 + k);
  }
  for (int k = 0; k < 50; ++k) table.set_rank(table_object(k), no_rank);
  table.remove_unused();
  EXPECT_EQ(table.n_rows(), 100u) << "half of the rows are in use";
  table.set_rank(table_object(50), no_rank);
  table.remove_unused();
  EXPECT_EQ(table.n_rows(), 49u);
  EXPECT_EQ(table.size(), 49u);
  for (int k = 51; k < 100; ++k) {
    EXPECT_EQ(table.rank_of(table_object(k)), k);
    EXPECT_EQ(table[table.find(table_object(k))].extra, 1000u + k);
  }
}

TEST(OwnerTable, AgreesWithMapAfterRandomChanges) {
  std::mt19937_64 random(1);
  OwnerTable table;
  std::map<ObjectId, int> expected;
  for (int step = 0; step < 20'000; ++step) {
    // Numbers that differ in the highest or in the lowest bits only.
    const std::uint64_t number = random() % 300;
    const ObjectId id = table_object(random() % 2 == 0 ? number : number << 55);
    const int rank = static_cast<int>(random() % 4) - 1;
    const auto previous = expected.try_emplace(id, no_rank).first;
    EXPECT_EQ(table.set_rank(id, rank), previous->second);
    previous->second = rank;
    if (step % 100 == 0) table.remove_unused();
  }
  for (const auto& [id, rank] : expected) EXPECT_EQ(table.rank_of(id), rank);
  EXPECT_EQ(table.size(), static_cast<std::size_t>(std::ranges::count_if(
                              expected, [](const auto& entry) { return entry.second != no_rank; })));
}

}  // namespace

namespace {

ObjectId part_object(std::uint64_t number) {
  return static_cast<ObjectId>(number);
}

std::vector<int> askers_of(DirectoryPart& table, ObjectId id) {
  std::vector<int> askers;
  table.notify_askers(id, [&](int asker) { askers.push_back(asker); });
  std::ranges::sort(askers);
  return askers;
}

TEST(DirectoryPart, RemembersEachAskerOnce) {
  DirectoryPart table;
  table.set_rank(part_object(1), 0);
  for (const int asker : {3, 1, 3, 2, 1}) EXPECT_EQ(table.ask(part_object(1), asker), 0);
  EXPECT_EQ(askers_of(table, part_object(1)), (std::vector<int>{1, 2, 3}));
  table.set_rank(part_object(1), 4);
  EXPECT_EQ(askers_of(table, part_object(1)), (std::vector<int>{1, 2, 3}));
}

TEST(DirectoryPart, RemembersNoAskerOfUnknownObject) {
  DirectoryPart table;
  EXPECT_EQ(table.ask(part_object(1), 3), no_rank);
  table.set_rank(part_object(1), 0);
  table.set_rank(part_object(1), no_rank);
  EXPECT_EQ(table.ask(part_object(1), 3), no_rank);
  table.set_rank(part_object(1), 2);
  EXPECT_EQ(askers_of(table, part_object(1)), std::vector<int>());
}

TEST(DirectoryPart, ForgetsAskersOfRemovedObjects) {
  DirectoryPart table;
  table.set_rank(part_object(1), 0);
  table.ask(part_object(1), 3);
  table.set_rank(part_object(1), no_rank);
  EXPECT_EQ(askers_of(table, part_object(1)), std::vector<int>{3});
  EXPECT_EQ(askers_of(table, part_object(1)), std::vector<int>());
  EXPECT_EQ(askers_of(table, part_object(2)), std::vector<int>());
}

TEST(DirectoryPart, AgreesWithSetsAfterRandomChanges) {
  std::mt19937_64 random(2);
  DirectoryPart table;
  std::map<ObjectId, std::set<int>> expected;
  for (int step = 0; step < 20'000; ++step) {
    const ObjectId id = part_object(random() % 100);
    const int rank = static_cast<int>(random() % 10);
    if (random() % 5 == 0) {
      table.set_rank(id, no_rank);
      askers_of(table, id);
      expected.erase(id);
    } else if (random() % 200 == 0) {
      const std::vector<int> forgetful = {rank, rank + 1, rank + 3};
      table.remove_askers(forgetful);
      for (auto& [object, askers] : expected)
        std::erase_if(askers, [&](int asker) { return std::ranges::count(forgetful, asker) > 0; });
    } else {
      table.set_rank(id, 1);
      table.ask(id, rank);
      expected[id].insert(rank);
    }
    if (step % 50 == 0) table.remove_unused();
  }
  for (const auto& [id, askers] : expected)
    EXPECT_EQ(askers_of(table, id), std::vector<int>(askers.begin(), askers.end()));
}

}  // namespace
}  // namespace plimsoll::runtime
