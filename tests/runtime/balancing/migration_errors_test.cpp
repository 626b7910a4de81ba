#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <new>
#include <stdexcept>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/runtime/migration.hpp>
#include <plimsoll/support/error.hpp>

#include "common/throws_error.hpp"
#include "runtime/balancing/object_store.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

/// Each rank has ten objects of 100 bytes and moves them to the next rank. Object 10 r + k is on rank r.
class MigrationErrors : public ::testing::Test {
 protected:
  static constexpr int objects_per_rank = 10;
  static constexpr std::size_t object_bytes = 100;

  void SetUp() override {
    if (size < 2) GTEST_SKIP() << "requires two ranks";
    for (int from = 0; from < size; ++from)
      for (int k = 0; k < objects_per_rank; ++k)
        moves.push_back({numbered(objects_per_rank * from + k), from, (from + 1) % size});
    for (int k = 0; k < objects_per_rank; ++k) {
      const ObjectId id = numbered(objects_per_rank * rank + k);
      store.objects[id] = content_of(id, object_bytes);
    }
    before = store.objects;
  }
  void TearDown() override { communicator.barrier(); }

  void run(const ObjectTransport& transport, MigrationOptions options = {}) {
    const MovesOfRank mine(moves, rank);
    migrate(communicator, mine.exports, mine.imports, transport, options);
  }

  const mpi::Communicator communicator{MPI_COMM_WORLD};
  const int rank = communicator.rank();
  const int size = communicator.size();
  std::vector<Move> moves;
  ObjectStore store;
  std::map<ObjectId, std::vector<std::byte>> before;
};

TEST_F(MigrationErrors, NamesObjectThatIsPackedPastItsSize) {
  ObjectTransport transport = store.transport();
  transport.pack = [pack = transport.pack](ObjectId id, std::span<std::byte> to) {
    if (id == numbered(13)) std::memset(to.data() + to.size(), 1, 1);
    return pack(id, to);
  };
  EXPECT_ERROR(
      run(transport), usage,
      "rank 1: pack() of object 13 wrote past its 100 bytes; check that size_bytes() counts all data "
      "that pack() writes");
  EXPECT_EQ(store.objects, before);
}

TEST_F(MigrationErrors, NamesObjectOfWhichPackReturnsAnotherSize) {
  for (const int wrong : {0, 99, 101}) {
    ObjectTransport transport = store.transport();
    transport.pack = [pack = transport.pack, wrong](ObjectId id, std::span<std::byte> to) {
      return id == numbered(19) ? static_cast<std::size_t>(wrong) : pack(id, to);
    };
    EXPECT_ERROR(run(transport), usage,
                 fmt::format("rank 1: pack() of object 19 returned {} bytes, but size_bytes() returned 100; "
                             "check that both count the same data",
                             wrong));
    EXPECT_EQ(store.objects, before);
  }
}

TEST_F(MigrationErrors, NamesObjectThatIsNotReadCompletely) {
  for (const int wrong : {0, 99, 101}) {
    ObjectTransport transport = store.transport();
    transport.unpack = [unpack = transport.unpack, wrong](ObjectId id, std::span<const std::byte> from) {
      unpack(id, from);
      return id == numbered(4) ? static_cast<std::size_t>(wrong) : from.size();
    };
    EXPECT_ERROR(run(transport), usage,
                 fmt::format("rank 1: unpack() of object 4 read {} bytes, but the object has 100; check that "
                             "unpack() reads the data that pack() writes",
                             wrong));
    EXPECT_EQ(store.objects, before);
  }
}

TEST_F(MigrationErrors, ReportsExceptionsOfTheProgramOnAllRanks) {
  const auto fail = [](auto function, int number, auto exception) {
    return [=](ObjectId id, auto... more) {
      if (id == numbered(number)) throw exception;
      return function(id, more...);
    };
  };
  ObjectTransport transport = store.transport();
  transport.size_bytes = fail(transport.size_bytes, 11, std::runtime_error("lost"));
  EXPECT_ERROR(run(transport), system, "rank 1: size_bytes() of object 11 failed: lost");
  EXPECT_EQ(store.objects, before);

  transport = store.transport();
  transport.pack = fail(transport.pack, 10, std::bad_alloc());
  EXPECT_ERROR(run(transport), system, "rank 1: pack() of object 10 failed: out of memory");
  EXPECT_EQ(store.objects, before);

  transport = store.transport();
  transport.unpack = fail(transport.unpack, 9, support::bad_input("damaged"));
  EXPECT_ERROR(run(transport), bad_input, "rank 1: unpack() of object 9 failed: damaged");
  EXPECT_EQ(store.objects, before);

  transport = store.transport();
  transport.unpack = fail(transport.unpack, 5, 42);
  EXPECT_ERROR(run(transport), system, "rank 1: unpack() of object 5 failed: an exception of unknown type");
  EXPECT_EQ(store.objects, before);
}

TEST_F(MigrationErrors, ReportsExceptionOfRemoveAfterTheMove) {
  ObjectTransport transport = store.transport();
  transport.remove = [remove = transport.remove](ObjectId id) {
    remove(id);
    if (id == numbered(12)) throw std::runtime_error("in use");
  };
  EXPECT_ERROR(run(transport), system, "rank 1: remove() of object 12 failed: in use");
  const int left = (rank + size - 1) % size;
  EXPECT_EQ(store.objects.size(), before.size());
  EXPECT_TRUE(store.objects.contains(numbered(objects_per_rank * left)));
}

TEST_F(MigrationErrors, RejectsImpossibleSize) {
  ObjectTransport transport = store.transport();
  transport.size_bytes = [](ObjectId) { return static_cast<std::size_t>(-1); };
  EXPECT_ERROR(run(transport), usage,
               "rank 0: size_bytes() of object 0 returned 18446744073709551615: must be <= 2^48; check for a "
               "negative number");
  EXPECT_EQ(store.objects, before);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they abort instead
TEST_F(MigrationErrors, ReportsExhaustedMemoryOnAllRanks) {
  ObjectTransport transport = store.transport();
  // The first object of rank 1 fails, so that nothing has moved yet.
  transport.size_bytes = [](ObjectId id) { return id == numbered(10) ? std::size_t{1} << 48 : object_bytes; };
  EXPECT_ERROR(run(transport), system, "out of memory");
  EXPECT_EQ(store.objects, before);
  run(store.transport());
  EXPECT_EQ(store.objects.size(), before.size());
}
#endif

// Two objects fit into a round, so that object 16 fails in the fourth round of rank 1.
TEST_F(MigrationErrors, KeepsEarlierRounds) {
  ObjectTransport transport = store.transport();
  transport.unpack = [unpack = transport.unpack](ObjectId id, std::span<const std::byte> from) {
    return id == numbered(16) ? 0 : unpack(id, from);
  };
  transport.remove = [this](ObjectId id) { store.objects.erase(id); };
  EXPECT_ERROR(run(transport, {.max_buffer_bytes = 240}), usage, "unpack() of object 16 read 0 bytes");
  for (int k = 0; k < objects_per_rank; ++k) {
    const int owner = k < 6 ? (rank + size - 1) % size : rank;
    EXPECT_TRUE(store.objects.contains(numbered(objects_per_rank * owner + k)));
  }
  EXPECT_EQ(store.objects.size(), before.size());
}

TEST_F(MigrationErrors, ReportsLossOfObjectInPlace) {
  const std::vector<Move> move = {{numbered(objects_per_rank * rank), rank, rank}};
  ObjectTransport transport = store.transport();
  transport.unpack = [&](ObjectId, std::span<const std::byte>) -> std::size_t { return 1; };
  EXPECT_ERROR(migrate(communicator, move, move, transport), usage,
               "unpack() of object 0 read 1 bytes, but the object has 100");
  EXPECT_EQ(store.objects.size(), before.size() - 1);
}

TEST_F(MigrationErrors, RejectsListsThatDoNotMatch) {
  const ObjectTransport transport = store.transport();
  MovesOfRank mine(moves, rank);
  const auto expect = [&](const std::string& text) {
    EXPECT_ERROR(migrate(communicator, mine.exports, mine.imports, transport), usage, text);
    EXPECT_EQ(store.objects, before);
    mine = MovesOfRank(moves, rank);
  };
  if (rank == 1) mine.imports.erase(mine.imports.begin() + 3);
  expect(
      "rank 1: rank 0 exports object 3 to rank 1, which does not import it; use the moves of one plan on "
      "all ranks");

  if (rank == 0) mine.exports.erase(mine.exports.begin() + 3);
  expect("rank 1: rank 1 imports object 3 from rank 0, which does not export it");

  if (rank == 0) mine.exports.push_back(mine.exports[2]);
  expect("rank 0: object 2 appears twice in the exports of rank 0");

  if (rank == 1) mine.imports.push_back({numbered(4), 0, 1});
  expect("rank 1: object 4 appears twice in the imports of rank 1");

  if (rank == 0) mine.exports[2].to = size;
  expect(
      fmt::format("rank 0: invalid move of object 2 from rank 0 to rank {} in the exports of rank 0", size));

  if (rank == 0) mine.exports[2].from = 1;
  expect("rank 0: invalid move of object 2 from rank 1 to rank 1 in the exports of rank 0");

  if (rank == 1) mine.imports[2].to = 0;
  expect("rank 1: invalid move of object 2 from rank 0 to rank 0 in the imports of rank 1");

  if (rank == 1) mine.exports.push_back({numbered(77), 1, 1});
  expect("rank 1: only one list of rank 1 contains object 77, which stays on this rank");
}

TEST_F(MigrationErrors, RejectsIncompleteTransport) {
  for (const auto function : {0, 1, 2}) {
    ObjectTransport transport = store.transport();
    if (function == 0) transport.size_bytes = nullptr;
    if (function == 1) transport.pack = nullptr;
    if (function == 2) transport.unpack = nullptr;
    EXPECT_ERROR(run(transport), usage, "size_bytes(), pack() or unpack() is missing");
  }
  EXPECT_ERROR(run(store.transport(), {.max_buffer_bytes = 0}), usage, "invalid max_buffer_bytes 0");
  EXPECT_EQ(store.objects, before);
}

TEST_F(MigrationErrors, LetsProgramContinueAfterError) {
  ObjectTransport failing = store.transport();
  failing.pack = [](ObjectId, std::span<std::byte>) -> std::size_t { throw std::runtime_error("not now"); };
  EXPECT_ERROR(run(failing), system, "not now");
  run(store.transport());
  const int left = (rank + size - 1) % size;
  EXPECT_EQ(store.objects.size(), before.size());
  EXPECT_TRUE(store.objects.contains(numbered(objects_per_rank * left)));
}

}  // namespace
}  // namespace plimsoll::runtime
