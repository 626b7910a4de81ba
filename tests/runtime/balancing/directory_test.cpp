#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <random>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/runtime/directory.hpp>

#include "common/throws_error.hpp"
#include "runtime/balancing/object_store.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

class DirectoryTest : public ::testing::Test {
 protected:
  void TearDown() override { communicator.barrier(); }

  /// Returns the numbers whose place is this rank.
  std::vector<ObjectId> here(const std::vector<int>& place) const {
    std::vector<ObjectId> ids;
    for (std::size_t k = 0; k < place.size(); ++k)
      if (place[k] == rank) ids.push_back(id_of(k));
    return ids;
  }
  /// Spreads numbers over all 64 bits.
  static ObjectId id_of(std::size_t k) { return numbered(k % 2 == 0 ? k : ~(k << 40)); }

  const mpi::Communicator communicator{MPI_COMM_WORLD};
  const int rank = communicator.rank();
  const int size = communicator.size();
};

TEST_F(DirectoryTest, KnowsNothingAtFirst) {
  Directory directory(communicator);
  const std::vector<ObjectId> ids = {numbered(0), numbered(~std::uint64_t{0})};
  EXPECT_EQ(directory.owner(ids), (std::vector<int>{-1, -1}));
  EXPECT_EQ(directory.owner({}), std::vector<int>());
  EXPECT_FALSE(directory.known_owner(numbered(0)));
}

TEST_F(DirectoryTest, KnowsOwnObjectsWithoutAsking) {
  Directory directory(communicator);
  directory.update(std::vector{numbered(rank + 10)});
  for (int other = 0; other < size; ++other) {
    const auto known = directory.known_owner(numbered(other + 10));
    EXPECT_EQ(known, other == rank ? std::optional(rank) : std::nullopt);
  }
}

// Objects appear, move and disappear at random, and ranks ask for random objects. All ranks draw the same
// random numbers and therefore know the place of every object.
TEST_F(DirectoryTest, AgreesWithPlacesInRandomChanges) {
  constexpr std::size_t n_objects = 200;
  for (const std::size_t max_remembered : {0, 30, 100, 1 << 20}) {
    Directory directory(communicator, max_remembered);
    std::mt19937_64 random(3);
    std::mt19937_64 own_random(100 + rank);
    std::vector<int> place(n_objects, -1);
    for (int step = 0; step < 20; ++step) {
      for (int& of_object : place)
        if (random() % 4 == 0) of_object = static_cast<int>(random() % (size + 1)) - 1;
      auto mine = here(place);
      std::shuffle(mine.begin(), mine.end(), own_random);
      directory.update(mine);
      for (int lookups = 0; lookups < 2; ++lookups) {
        std::vector<ObjectId> ids;
        std::vector<int> expected;
        for (std::size_t count = own_random() % 80; ids.size() < count;) {
          const std::size_t k = own_random() % n_objects;
          ids.push_back(id_of(k));
          expected.push_back(place[k]);
        }
        EXPECT_EQ(directory.owner(ids), expected) << "step " << step;
      }
      for (std::size_t k = 0; k < n_objects; ++k) {
        const auto known = directory.known_owner(id_of(k));
        EXPECT_EQ(known.value_or(place[k]), place[k]) << "step " << step << ", object " << k;
      }
    }
  }
}

TEST_F(DirectoryTest, CorrectsRememberedAnswersAfterMoves) {
  Directory directory(communicator);
  std::vector<int> place(10, 0);
  directory.update(here(place));
  const std::vector<ObjectId> ids = {id_of(3), id_of(4)};
  EXPECT_EQ(directory.owner(ids), (std::vector<int>{0, 0}));
  for (int to = 1; to < size; ++to) {
    place[3] = to;
    directory.update(here(place));
    if (to == 1) {
      // Rank 0 knew that it had the object, and has not asked.
      EXPECT_EQ(directory.known_owner(id_of(3)), rank == 0 ? std::nullopt : std::optional(1));
      directory.owner(ids);
    }
    EXPECT_EQ(directory.known_owner(id_of(3)), to);
    EXPECT_EQ(directory.known_owner(id_of(4)), 0);
  }
  place[3] = -1;
  directory.update(here(place));
  EXPECT_FALSE(directory.known_owner(id_of(3)));
  EXPECT_EQ(directory.owner(ids), (std::vector<int>{-1, 0}));
}

TEST_F(DirectoryTest, ForgetsAnswersBeyondTheLimit) {
  Directory directory(communicator, 5);
  const std::vector<int> place(20, 0);
  directory.update(here(place));
  std::vector<ObjectId> all;
  for (std::size_t k = 0; k < place.size(); ++k) all.push_back(id_of(k));
  const auto n_known = [&] {
    return std::ranges::count_if(all, [&](ObjectId id) { return directory.known_owner(id).has_value(); });
  };
  const auto ask = [&](std::size_t first, std::size_t count) {
    EXPECT_EQ(directory.owner(std::span(all).subspan(first, count)), std::vector<int>(count, 0));
    return rank == 0 ? std::ptrdiff_t{0} : n_known();
  };
  const auto unless_owner = [&](int count) { return rank == 0 ? 0 : count; };
  EXPECT_EQ(ask(0, 4), unless_owner(4));
  EXPECT_EQ(ask(4, 1), unless_owner(5));
  EXPECT_EQ(ask(5, 2), unless_owner(2)) << "forgets the previous five";
  EXPECT_EQ(ask(0, 20), unless_owner(2)) << "remembers nothing of a question that is too long";
}

TEST_F(DirectoryTest, RejectsObjectOnTwoRanksAndChangesNothing) {
  if (size < 2) GTEST_SKIP() << "requires two ranks";
  Directory directory(communicator);
  std::vector<int> place(30);
  for (std::size_t k = 0; k < place.size(); ++k) place[k] = static_cast<int>(k) % size;
  directory.update(here(place));

  // Objects move to the next rank, but one object also stays.
  std::vector<int> next = place;
  for (int& of_object : next) of_object = (of_object + 1) % size;
  std::vector<ObjectId> mine = here(next);
  const std::size_t kept = 2 * (size - 1);
  if (rank == place[kept]) mine.push_back(id_of(kept));
  EXPECT_ERROR(directory.update(mine), usage,
               fmt::format("object {} is declared on rank {} and on rank {}; remove it from one of them",
                           static_cast<std::uint64_t>(id_of(kept)), std::min(place[kept], next[kept]),
                           std::max(place[kept], next[kept])));
  std::vector<ObjectId> all;
  for (std::size_t k = 0; k < place.size(); ++k) all.push_back(id_of(k));
  EXPECT_EQ(directory.owner(all), place);

  directory.update(here(next));
  EXPECT_EQ(directory.owner(all), next);
}

TEST_F(DirectoryTest, RejectsObjectDeclaredTwiceOnOneRank) {
  Directory directory(communicator);
  std::vector<ObjectId> ids = {numbered(100 + rank)};
  if (rank == size - 1) ids.push_back(ids[0]);
  EXPECT_ERROR(
      directory.update(ids), usage,
      fmt::format("object {} is declared twice on rank {}; specify each object once", 99 + size, size - 1));
  EXPECT_FALSE(directory.known_owner(ids[0]));
}

TEST_F(DirectoryTest, MayBeMoved) {
  Directory first(communicator);
  first.update(std::vector{numbered(rank)});
  Directory second = std::move(first);
  EXPECT_EQ(second.owner(std::vector{numbered(size - 1)}), std::vector<int>{size - 1});
}

}  // namespace
}  // namespace plimsoll::runtime
