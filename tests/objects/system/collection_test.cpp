#include <cereal/types/map.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <plimsoll/objects.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {
namespace {

/// Element that keeps what it receives.
struct Cell : Element<Cell, 2> {
  std::int64_t sum = 0;
  std::vector<std::string> texts;
  int hops = 0;

  void add(std::int64_t value) { sum += value; }
  void keep(const std::string& text, std::vector<int> values) {
    texts.push_back(text + std::to_string(std::accumulate(values.begin(), values.end(), 0)));
  }
  /// Visits all cells in turn.
  void visit(int left) {
    ++hops;
    if (left == 0) return;
    const Index<2> sizes = collection().bounds().sizes;
    const std::int64_t next = (collection().bounds().number_of(index()) + 7) % (sizes[0] * sizes[1]);
    collection()[collection().bounds().index_of(static_cast<std::uint64_t>(next))].send<&Cell::visit>(left -
                                                                                                      1);
  }
  void move_on() { migrate_to((system().rank() + 1) % system().rank_count()); }
  void fail() { throw std::runtime_error("the cell is broken"); }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(sum, texts, hops);
  }
};

class Objects : public ::testing::Test {
 protected:
  std::int64_t total(Collection<Cell>& cells, std::int64_t (*value)(const Cell&)) {
    std::int64_t mine = 0;
    cells.for_each_local([&](const Cell& cell) { mine += value(cell); });
    return recorder.communicator().sum(mine);
  }
  std::int64_t count(Collection<Cell>& cells) {
    return recorder.communicator().sum(static_cast<std::int64_t>(cells.local_count()));
  }

  LoadRecorder recorder{MPI_COMM_WORLD, {.lb_quiet = true}};
  ObjectSystem system{recorder};
};

TEST_F(Objects, AreCreatedAtTheirHomes) {
  Collection<Cell> cells(system, {.bounds = {{4, 5}}});
  EXPECT_EQ(count(cells), 20);
  cells.for_each_local([&](const Cell& cell) { EXPECT_EQ(cells.home(cell.index()), system.rank()); });
  EXPECT_EQ(cells.find({3, 4}) != nullptr, cells.home({3, 4}) == system.rank());
  EXPECT_ERROR((cells[{4, 0}]), usage, "invalid position (4, 0)");
}

TEST_F(Objects, ReceiveMessagesFromAllRanks) {
  Collection<Cell> cells(system, {.bounds = {{4, 5}}});
  for (std::int64_t i = 0; i < 4; ++i)
    for (std::int64_t j = 0; j < 5; ++j) cells[{i, j}].send<&Cell::add>(10 * i + j + 100 * system.rank());
  system.run_until_quiet();
  cells.for_each_local([&](const Cell& cell) {
    const std::int64_t ranks = system.rank_count();
    EXPECT_EQ(cell.sum, ranks * (10 * cell.index()[0] + cell.index()[1]) + 100 * ranks * (ranks - 1) / 2);
  });
}

TEST_F(Objects, ReceiveArgumentsOfAnyType) {
  Collection<Cell> cells(system, {.bounds = {{2, 4}}, .map = round_robin_map});
  if (system.rank() == 0) {
    const std::string text = "sum ";
    for (std::int64_t k = 0; k < 8; ++k)
      cells[{k / 4, k % 4}].send<&Cell::keep>(text, std::vector<int>{1, 2, 3});
    cells[{0, 0}].send<&Cell::keep>("empty ", std::vector<int>{});
  }
  system.run_until_quiet();
  cells.for_each_local([&](const Cell& cell) {
    if (cell.index() == Index<2>{0, 0})
      EXPECT_THAT(cell.texts, ::testing::ElementsAre("sum 6", "empty 0"));
    else
      EXPECT_THAT(cell.texts, ::testing::ElementsAre("sum 6"));
  });
}

TEST_F(Objects, SendMessagesToEachOther) {
  Collection<Cell> cells(system, {.bounds = {{5, 5}}, .map = hash_map});
  if (system.rank() == 0) cells[{2, 2}].send<&Cell::visit>(99);
  system.run_until_quiet();
  EXPECT_EQ(total(cells, [](const Cell& cell) { return std::int64_t{cell.hops}; }), 100);
  cells.for_each_local([](const Cell& cell) { EXPECT_EQ(cell.hops, 4); });  // 7 and 25 have no common divisor
}

TEST_F(Objects, ReceiveBroadcastsFromEachRank) {
  Collection<Cell> cells(system, {.bounds = {{3, 3}}});
  cells.broadcast<&Cell::add>(std::int64_t{1} << (8 * system.rank() % 56));
  system.run_until_quiet();
  std::int64_t expected = 0;
  for (int rank = 0; rank < system.rank_count(); ++rank) expected += std::int64_t{1} << (8 * rank % 56);
  cells.for_each_local([&](const Cell& cell) { EXPECT_EQ(cell.sum, expected); });
}

TEST_F(Objects, KeepTheirStateAndReceiveMessagesAfterMigrations) {
  Collection<Cell> cells(system, {.bounds = {{4, 4}}});
  for (int round = 1; round <= 5; ++round) {
    cells.for_each_local([](Cell& cell) { cell.move_on(); });
    for (std::int64_t k = 0; k < 16; ++k) cells[{k / 4, k % 4}].send<&Cell::add>(k);
    system.next_phase();
    for (std::int64_t k = 0; k < 16; ++k) cells[{k / 4, k % 4}].send<&Cell::add>(k);
    system.run_until_quiet();
    EXPECT_EQ(count(cells), 16);
    cells.for_each_local([&](const Cell& cell) {
      EXPECT_EQ((cells.home(cell.index()) + round) % system.rank_count(), system.rank());
      EXPECT_EQ(cell.sum, 2 * round * system.rank_count() * (4 * cell.index()[0] + cell.index()[1]));
    });
  }
}

TEST_F(Objects, CanBeInsertedAndDestroyed) {
  Collection<Cell> cells(system, {.bounds = {{100, 100}}, .is_dense = false});
  EXPECT_EQ(count(cells), 0);
  const int next = (system.rank() + 1) % system.rank_count();
  cells.insert({next, 7});
  system.run_until_quiet();
  EXPECT_EQ(count(cells), system.rank_count());
  cells[{system.rank(), 7}].send<&Cell::add>(5);
  system.run_until_quiet();
  EXPECT_EQ(total(cells, [](const Cell& cell) { return cell.sum; }), 5 * system.rank_count());
  cells[{next, 7}].send<&ElementBase::destroy>();
  system.run_until_quiet();
  EXPECT_EQ(count(cells), 0);
}

TEST_F(Objects, NameTheElementThatThrows) {
  Collection<Cell> cells(system, {.bounds = {{4, 4}}});
  if (system.rank() == 0) cells[{3, 1}].send<&Cell::fail>();
  EXPECT_ERROR(system.run_until_quiet(), system, "element (3, 1) of \"elements\": the cell is broken");
  cells.broadcast<&Cell::add>(1);
  system.run_until_quiet();  // works again
  EXPECT_EQ(total(cells, [](const Cell& cell) { return cell.sum; }), 16 * system.rank_count());
}

TEST_F(Objects, NameMissingReceivers) {
  Collection<Cell> cells(system, {.bounds = {{4, 4}}, .is_dense = false, .name = "cells"});
  if (system.rank() == system.rank_count() - 1) cells[{1, 2}].send<&Cell::add>(1);
  EXPECT_ERROR(system.run_until_quiet(), usage,
               "message to element (1, 2) of \"cells\", which does not exist");
}

struct Member : Element<Member> {
  explicit Member(int start) : sum(start) {}
  void add(int value) { sum += value; }
  int sum;
};

TEST_F(Objects, CanBeMembersOfGroups) {
  ObjGroup<Member> group(system, "members", 1000);
  group[{(system.rank() + 1) % system.rank_count()}].template send<&Member::add>(system.rank());
  system.run_until_quiet();
  EXPECT_EQ(group.local().sum, 1000 + (system.rank() + system.rank_count() - 1) % system.rank_count());
}

struct Term : Element<Term> {
  std::int64_t total = 0;
  int totals = 0;
  void keep(std::int64_t value) {
    total = value;
    ++totals;
  }
  void sum_up(int times) {
    for (std::int64_t k = 1; k <= times; ++k)
      contribute<&Term::keep, std::plus<>>(k * index()[0],
                                           collection()[{collection().bounds().sizes[0] - 1}]);
  }
  void half() {
    if (index()[0] % 2 == 0) sum_up(1);
  }
  void move_on() { migrate_to((system().rank() + 1) % system().rank_count()); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(total, totals);
  }
};

TEST_F(Objects, ReduceTheirValues) {
  for (const std::int64_t n : {1, 3, 20}) {
    Collection<Term> terms(system, {.bounds = {{n}}});
    for (int round = 1; round <= 3; ++round) {
      if (system.rank() == 0) terms.broadcast<&Term::sum_up>(2);
      system.run_until_quiet();
      if (const Term* const last = terms.find({n - 1})) {
        EXPECT_EQ(last->totals, 2 * round);
        EXPECT_THAT(last->total, ::testing::AnyOf(n * (n - 1) / 2, n * (n - 1)));  // in any order
      }
      terms.for_each_local([](Term& term) { term.move_on(); });
      system.next_phase();
    }
  }
}

TEST_F(Objects, NoticeIncompleteReductions) {
  Collection<Term> terms(system, {.bounds = {{6}}});
  if (system.rank() == 0) terms.broadcast<&Term::half>();
  EXPECT_ERROR(system.run_until_quiet(), usage, "no message is left, but a reduction is incomplete");
  if (system.rank() == 0) terms.broadcast<&Term::sum_up>(1);
  system.run_until_quiet();
  const Term* const last = terms.find({5});
  EXPECT_TRUE(last == nullptr || last->total == 15);
}

struct Worker : Element<Worker> {
  int rounds = 0;
  Worker() { use_at_sync(); }
  void start() { at_sync(); }
  void resume_from_sync() override {
    if (++rounds < 3) at_sync();
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(rounds);
  }
};

TEST_F(Objects, EndAPhaseWhenAllAreAtSync) {
  Collection<Worker> workers(system, {.bounds = {{10}}});
  system.balancer().set_strategy("RotateLB");
  const std::int64_t phase = recorder.phase();
  workers.broadcast<&Worker::start>();
  system.run_until_quiet();
  EXPECT_EQ(recorder.phase(), phase + 3);
  workers.for_each_local([&](const Worker& worker) {
    EXPECT_EQ(worker.rounds, 3);
    EXPECT_EQ((workers.home(worker.index()) + 3) % system.rank_count(), system.rank());
  });
}

}  // namespace
}  // namespace plimsoll::objects
