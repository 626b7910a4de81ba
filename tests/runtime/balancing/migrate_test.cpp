#include <gtest/gtest.h>
#include <mpi.h>

#include <random>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/runtime/migration.hpp>

#include "runtime/balancing/object_store.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

class Migrate : public ::testing::Test {
 protected:
  void TearDown() override { communicator.barrier(); }

  MigrationReport migrate_all(const std::vector<Move>& moves, std::size_t max_buffer_bytes = 1 << 20) {
    const MovesOfRank mine(moves, rank);
    return migrate(communicator, mine.exports, mine.imports, store.transport(),
                   {.max_buffer_bytes = max_buffer_bytes});
  }

  const mpi::Communicator communicator{MPI_COMM_WORLD};
  const int rank = communicator.rank();
  const int size = communicator.size();
  ObjectStore store;
};

TEST_F(Migrate, DoesNothingWithoutMoves) {
  const MigrationReport report = migrate_all({});
  EXPECT_EQ(report.objects, 0);
  EXPECT_EQ(report.bytes, 0);
  EXPECT_EQ(report.rounds, 0);
}

TEST_F(Migrate, ReportsObjectsAndBytesOfAllRanks) {
  std::vector<Move> moves;
  for (int from = 0; from < size; ++from) moves.push_back({numbered(from + 1), from, (from + 1) % size});
  store.objects[numbered(rank + 1)] = content_of(numbered(rank + 1), 10 + rank);
  const MigrationReport report = migrate_all(moves);
  EXPECT_EQ(report.objects, size);
  EXPECT_EQ(report.bytes, 10.0 * size + size * (size - 1) / 2.0);
  EXPECT_GT(report.time_s, 0);
  EXPECT_EQ(report.rounds, size > 1 ? 1 : 0);
  const int left = (rank + size - 1) % size;
  ASSERT_EQ(store.objects.size(), 1u);
  EXPECT_EQ(store.objects.at(numbered(left + 1)), content_of(numbered(left + 1), 10 + left));
}

// Moves objects of many sizes, including 0, at random. All ranks draw the same random numbers and therefore
// know where each object must be.
TEST_F(Migrate, KeepsEveryObjectInRandomMovesWithSmallBuffers) {
  constexpr std::uint64_t n_objects = 120;
  std::mt19937_64 random(7);
  std::vector<std::size_t> sizes;
  std::vector<int> place;
  for (std::uint64_t k = 0; k < n_objects; ++k) {
    sizes.push_back(k % 5 == 0 ? 0 : random() % (k % 7 == 0 ? 20'000 : 200));
    place.push_back(static_cast<int>(random() % size));
    if (place[k] == rank) store.objects[numbered(k)] = content_of(numbered(k), sizes[k]);
  }
  for (const std::size_t max_buffer_bytes : {1, 17, 300, 5'000, 100'000, 1 << 28}) {
    for (int step = 0; step < 10; ++step) {
      std::vector<Move> moves;
      for (std::uint64_t k = 0; k < n_objects; ++k) {
        if (random() % 3 == 0) continue;
        const int to = static_cast<int>(random() % size);
        moves.push_back({numbered(k), place[k], to});
        place[k] = to;
      }
      std::shuffle(moves.begin(), moves.end(), random);
      const MigrationReport report = migrate_all(moves, max_buffer_bytes);
      EXPECT_EQ(report.objects, std::ssize(moves));
      EXPECT_EQ(std::ssize(store.objects), std::ranges::count(place, rank));
      for (std::uint64_t k = 0; k < n_objects; ++k) {
        if (place[k] != rank) continue;
        ASSERT_TRUE(store.objects.contains(numbered(k))) << "object " << k << " is lost";
        EXPECT_EQ(store.objects.at(numbered(k)), content_of(numbered(k), sizes[k]));
      }
    }
  }
}

TEST_F(Migrate, LimitsBytesPerRound) {
  if (size < 2) GTEST_SKIP() << "requires two ranks";
  constexpr int n_objects = 50;
  std::vector<Move> moves;
  for (int k = 0; k < n_objects; ++k) {
    moves.push_back({numbered(k), 0, 1});
    if (rank == 0) store.objects[numbered(k)] = content_of(numbered(k), 160);
  }
  // Four objects of 160 bytes fit into a round of 700 bytes.
  EXPECT_EQ(migrate_all(moves, 700).rounds, (n_objects + 3) / 4);
  EXPECT_EQ(std::ssize(store.objects), rank == 1 ? n_objects : 0);
}

TEST_F(Migrate, MovesObjectsLargerThanTheBuffer) {
  if (size < 2) GTEST_SKIP() << "requires two ranks";
  std::vector<Move> moves;
  for (int k = 0; k < 3; ++k) {
    moves.push_back({numbered(k), 0, size - 1});
    if (rank == 0) store.objects[numbered(k)] = content_of(numbered(k), 3'000'000 + k);
  }
  EXPECT_EQ(migrate_all(moves, 1000).rounds, 3);
  if (rank < size - 1) return;
  for (int k = 0; k < 3; ++k)
    EXPECT_EQ(store.objects.at(numbered(k)), content_of(numbered(k), 3'000'000 + k));
}

TEST_F(Migrate, PacksRemovesAndUnpacksInPlace) {
  std::vector<std::string> calls;
  store.objects[numbered(rank)] = content_of(numbered(rank), 100);
  ObjectTransport transport = store.transport();
  const auto log = [&](const char* name, auto function) {
    return [&calls, name, function](auto... arguments) {
      calls.emplace_back(name);
      return function(arguments...);
    };
  };
  transport.pack = log("pack", transport.pack);
  transport.unpack = log("unpack", transport.unpack);
  transport.remove = log("remove", transport.remove);
  const std::vector<Move> move = {{numbered(rank), rank, rank}};
  const MigrationReport report = migrate(communicator, move, move, transport);
  EXPECT_EQ(calls, (std::vector<std::string>{"pack", "remove", "unpack"}));
  EXPECT_EQ(store.objects.at(numbered(rank)), content_of(numbered(rank), 100));
  EXPECT_EQ(report.objects, size);
  EXPECT_EQ(report.rounds, 0);
}

TEST_F(Migrate, MayLeaveRemovalToTheProgram) {
  store.objects[numbered(rank)] = content_of(numbered(rank), 100);
  ObjectTransport transport = store.transport();
  transport.remove = nullptr;
  std::vector<Move> moves;
  for (int from = 0; from < size; ++from) moves.push_back({numbered(from), from, (from + 1) % size});
  if (size == 1) moves.clear();
  const MovesOfRank mine(moves, rank);
  migrate(communicator, mine.exports, mine.imports, transport);
  EXPECT_EQ(store.objects.size(), size == 1 ? 1u : 2u);
}

TEST_F(Migrate, PassesAlignedMemory) {
  std::vector<Move> moves;
  for (std::uint64_t k = 0; k < 20; ++k) {
    moves.push_back({numbered(k), 0, size - 1});
    if (rank == 0) store.objects[numbered(k)] = content_of(numbered(k), k);
  }
  ObjectTransport transport = store.transport();
  const auto is_aligned = [](const std::byte* memory) {
    return reinterpret_cast<std::uintptr_t>(memory) % 16 == 0;
  };
  transport.pack = [&, pack = transport.pack](ObjectId id, std::span<std::byte> to) {
    EXPECT_TRUE(is_aligned(to.data()));
    return pack(id, to);
  };
  transport.unpack = [&, unpack = transport.unpack](ObjectId id, std::span<const std::byte> from) {
    EXPECT_TRUE(is_aligned(from.data()));
    return unpack(id, from);
  };
  const MovesOfRank mine(moves, rank);
  migrate(communicator, mine.exports, mine.imports, transport);
}

}  // namespace
}  // namespace plimsoll::runtime
