// Copies and moves of arguments on the rank of the sender.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <utility>

#include <plimsoll/objects.hpp>

#include "runtime/recorder/recorder_test.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {
namespace {

/// Value that counts its copies, and forgets it when it is moved from.
struct Counted {
  Counted() = default;
  explicit Counted(std::int64_t its_value) : value(its_value) {}
  Counted(const Counted& other) : value(other.value) { ++n_copies; }
  Counted(Counted&& other) noexcept : value(std::exchange(other.value, 0)) {}
  Counted& operator=(const Counted& other) {
    value = other.value;
    ++n_copies;
    return *this;
  }
  Counted& operator=(Counted&& other) noexcept {
    value = std::exchange(other.value, 0);
    return *this;
  }
  ~Counted() = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(value);
  }

  std::int64_t value = 0;
  static inline int n_copies = 0;
};

struct Sum {
  Counted operator()(Counted left, const Counted& right) const {
    left.value += right.value;
    return left;
  }
};

std::int64_t sum_on_rank = 0;
void add_on_rank(ObjectSystem&, const Counted& counted) {
  sum_on_rank += counted.value;
}

struct Taker : Element<Taker> {
  Taker() = default;
  explicit Taker(Counted counted) { take(std::move(counted)); }
  void take(Counted counted) {
    last = std::move(counted);
    sum += last.value;
  }
  void look(const Counted& counted) { sum += counted.value; }
  void contribute_kept() {
    const Counted kept(1);
    contribute<&Taker::take, Sum>(kept, collection()[{0}]);
  }
  void contribute_one() { contribute<&Taker::take, Sum>(Counted(1), collection()[{0}]); }

  template <class Archive>
  void serialize(Archive&) {}

  Counted last;
  std::int64_t sum = 0;
};

struct ArgumentCopies : plimsoll::testing::RecorderRun {
  /// Expects that `call` and the messages that result copy this number of arguments on this rank.
  template <class Call>
  void expect_copies(int expected, const Call& call) {
    Counted::n_copies = 0;
    call();
    system.run_until_quiet();
    EXPECT_EQ(Counted::n_copies, expected);
  }

  LoadRecorder recorder{MPI_COMM_WORLD, settings()};
  ObjectSystem system{recorder};
  Collection<Taker> takers{system, {.bounds = {{system.rank_count()}}}};
  ElementProxy<Taker> mine = takers[{system.rank()}];
  ElementProxy<Taker> next = takers[{(system.rank() + 1) % system.rank_count()}];
};

TEST_F(ArgumentCopies, AreNotMadeOfRvalues) {
  for (const ElementProxy<Taker>& to : {mine, next}) {
    expect_copies(0, [&] { to.send<&Taker::take>(Counted(1)); });
    expect_copies(0, [&] { to.send<&Taker::look>(Counted(1)); });
  }
  expect_copies(0, [&] { mine.invoke<&Taker::take>(Counted(1)); });
  expect_copies(0, [&] { mine.invoke<&Taker::look>(Counted(1)); });
  expect_copies(0, [&] { takers.broadcast<&Taker::look>(Counted(1)); });
  expect_copies(0, [&] { takers.broadcast_collective<&Taker::look>(Counted(1)); });
  expect_copies(0, [&] { takers.section({0}, {1}).broadcast<&Taker::look>(Counted(1)); });
  const std::int64_t expected = 4 + 2 + system.rank_count() + 1;
  EXPECT_EQ(takers.find({system.rank()})->sum, expected + (system.rank() == 0 ? system.rank_count() : 0));
}

TEST_F(ArgumentCopies, AreNotMadeOfRvaluesForRanks) {
  sum_on_rank = 0;
  expect_copies(
      0, [&] { system.send_to_rank<&add_on_rank>((system.rank() + 1) % system.rank_count(), Counted(1)); });
  expect_copies(0, [&] { system.broadcast_to_ranks<&add_on_rank>(Counted(1)); });
  EXPECT_EQ(sum_on_rank, 1 + system.rank_count());
}

TEST_F(ArgumentCopies, AreNotMadeOfContributions) {
  expect_copies(0, [&] { takers.broadcast_collective<&Taker::contribute_one>(); });
  EXPECT_EQ(takers.find({system.rank()})->sum, system.rank() == 0 ? system.rank_count() : 0);
}

// A value that other ranks have sent before is merged with the contribution, which then needs no copy.
TEST_F(ArgumentCopies, AreMadeAtMostOnceOfContributionsThatAreKept) {
  Counted::n_copies = 0;
  takers.broadcast_collective<&Taker::contribute_kept>();
  system.run_until_quiet();
  EXPECT_LE(Counted::n_copies, 1);
  EXPECT_GE(recorder.communicator().max(static_cast<double>(Counted::n_copies)), 1) << "on some rank";
  EXPECT_EQ(takers.find({system.rank()})->sum, system.rank() == 0 ? system.rank_count() : 0);
}

TEST_F(ArgumentCopies, AreNotMadeForConstructors) {
  Collection<Taker> sparse(system, {.bounds = {{system.rank_count()}}, .is_dense = false});
  expect_copies(0, [&] { sparse.insert({(system.rank() + 1) % system.rank_count()}, Counted(5)); });
  EXPECT_EQ(sparse.find({system.rank()})->sum, 5);
}

TEST_F(ArgumentCopies, AreMadeOnceOfLvalues) {
  const Counted kept(1);
  expect_copies(1, [&] { mine.send<&Taker::take>(kept); });
  expect_copies(1, [&] { next.send<&Taker::look>(kept); });
  EXPECT_EQ(kept.value, 1);
  EXPECT_EQ(takers.find({system.rank()})->sum, 2);
}

}  // namespace
}  // namespace plimsoll::objects
