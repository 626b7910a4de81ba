// Elements that are destroyed, created again and migrated while messages are under way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/objects.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {
namespace {

constexpr std::int64_t n_movers = 24;

struct Mover : Element<Mover> {
  int received = 0;

  void receive() { ++received; }
  void receive_many(const std::vector<double>&) { ++received; }
  void receive_in_step(Step) { ++received; }
  void go(int first, int then) {
    migrate_to(first);
    migrate_to(then);
  }
  void leave_and_die(int rank) {
    migrate_to(rank);
    destroy();
  }
  void wait() { system().run_until_quiet(); }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(received);
  }
};

class ChangingElements : public ::testing::Test {
 protected:
  int next_rank(int distance = 1) const { return (system.rank() + distance) % system.rank_count(); }
  void move_all(Collection<Mover>& movers) {
    movers.for_each_local([&](Mover& mover) { mover.migrate_to(next_rank()); });
    system.run_until_quiet();
  }
  template <class T>
  std::int64_t count(const Collection<T>& elements) {
    return recorder.communicator().sum(static_cast<std::int64_t>(elements.local_count()));
  }

  LoadRecorder recorder{MPI_COMM_WORLD, {.lb_quiet = true, .lb_check = true}};
  ObjectSystem system{recorder};
};

TEST_F(ChangingElements, AreMissingOnceDestroyedAwayFromTheirHomes) {
  Collection<Mover> movers(system, {.bounds = {{n_movers}}});
  move_all(movers);
  for (std::int64_t k = 0; k < n_movers; ++k) {
    // The directory still names the rank that has destroyed the element.
    if (Mover* const mover = movers.find({k})) mover->destroy();
    movers[{k}].send<&Mover::receive>();
    EXPECT_ERROR(system.run_until_quiet(), usage,
                 "message to element (" + std::to_string(k) + ") of \"elements\", which does not exist");
  }
  EXPECT_EQ(count(movers), 0);
  system.next_phase();
}

TEST_F(ChangingElements, LetTheirMessagesBeDropped) {
  Collection<Mover> movers(system, {.bounds = {{n_movers}}, .drop_undeliverable = true});
  move_all(movers);
  movers.for_each_local([](Mover& mover) {
    if (mover.index()[0] % 2 == 0) mover.destroy();
  });
  for (std::int64_t k = 0; k < n_movers; ++k) movers[{k}].send<&Mover::receive>();
  const std::vector<Index<1>> first_three = {{0}, {1}, {2}};
  movers.section(first_three).broadcast<&Mover::receive>();
  system.next_phase();
  movers.for_each_local([&](const Mover& mover) {
    const int n_broadcasts = mover.index()[0] == 1 ? system.rank_count() : 0;
    EXPECT_EQ(mover.received, system.rank_count() + n_broadcasts);
  });
  EXPECT_EQ(count(movers), n_movers / 2);
  const std::int64_t n_missed = n_movers / 2 + 2;  // per rank; the section misses elements 0 and 2
  const auto n_dropped = static_cast<std::int64_t>(movers.dropped_messages());
  EXPECT_EQ(recorder.communicator().sum(n_dropped), n_missed * system.rank_count());
}

// The same for single messages, to elements that have left their homes, with short and with large arguments.
TEST_F(ChangingElements, LetSendersDropMessages) {
  Collection<Mover> movers(system, {.bounds = {{n_movers}}});
  move_all(movers);
  movers.for_each_local([](Mover& mover) {
    if (mover.index()[0] % 2 == 0) mover.destroy();
  });
  for (std::int64_t k = 0; k < n_movers; ++k) {
    movers[{k}].send_or_drop<&Mover::receive>();
    movers[{k}].send_or_drop<&Mover::receive_many>(std::vector<double>(10'000));
  }
  system.next_phase();
  movers.for_each_local(
      [&](const Mover& mover) { EXPECT_EQ(mover.received, 2 * system.rank_count()) << mover.index()[0]; });
  const auto n_dropped = static_cast<std::int64_t>(movers.dropped_messages());
  EXPECT_EQ(recorder.communicator().sum(n_dropped), n_movers * system.rank_count());
  movers[{0}].send<&Mover::receive>();
  EXPECT_ERROR(system.run_until_quiet(), usage, "which does not exist");
}

// Elements end after the message has been sent: before it is delivered, or while it waits for its step.
TEST_F(ChangingElements, LetSendersDropWaitingMessages) {
  Collection<Mover> movers(system, {.bounds = {{n_movers}}});
  for (std::int64_t k = 0; k < n_movers; ++k) movers[{k}].send_or_drop<&Mover::receive_in_step>(Step(7));
  system.run_until_quiet();
  move_all(movers);
  EXPECT_EQ(recorder.communicator().sum(static_cast<std::int64_t>(movers.early_messages())),
            n_movers * system.rank_count());
  movers.for_each_local([&](Mover& mover) {
    movers[mover.index()].send<&Mover::destroy>();
    movers[mover.index()].send_or_drop<&Mover::receive>();
  });
  system.run_until_quiet();
  const auto n_dropped = static_cast<std::int64_t>(movers.dropped_messages());
  EXPECT_EQ(recorder.communicator().sum(n_dropped), n_movers * (system.rank_count() + 1));
}

TEST(DroppedMessages, AreReportedAtTheEnd) {
  std::vector<std::string> said;
  Settings settings{.lb_quiet = true};
  settings.sink = [&](std::string_view line) { said.emplace_back(line); };
  int ranks = 0;
  {
    LoadRecorder recorder(MPI_COMM_WORLD, settings);
    ObjectSystem system(recorder);
    Collection<Mover> movers(system, {.bounds = {{n_movers}}, .is_dense = false, .drop_undeliverable = true});
    movers[{0}].send<&Mover::receive>();
    system.run_until_quiet();
    movers[{1}].send<&Mover::receive>();
    system.next_phase();
    ranks = system.rank_count();
    EXPECT_TRUE(said.empty());
    if (system.rank() != 0) ranks = 0;
  }
  const std::string expected =
      std::to_string(2 * ranks) +
      " messages to elements that did not exist were dropped (send_or_drop, drop_undeliverable)";
  EXPECT_EQ(said, ranks == 0 ? std::vector<std::string>() : std::vector{expected});
}

TEST_F(ChangingElements, LetLocalMessagesBeDropped) {
  Collection<Mover> movers(system, {.bounds = {{n_movers}}, .drop_undeliverable = true});
  const std::uint64_t n_destroyed = movers.local_count();
  movers.for_each_local([&](Mover& mover) {
    movers[mover.index()].send<&Mover::destroy>();
    movers[mover.index()].send<&Mover::receive>();
  });
  system.run_until_quiet();
  EXPECT_EQ(count(movers), 0);
  EXPECT_EQ(movers.dropped_messages(), n_destroyed);
}

TEST_F(ChangingElements, CanBeDestroyedWhileLocalMessagesWait) {
  Collection<Mover> movers(system, {.bounds = {{n_movers}}});
  movers.for_each_local([&](Mover& mover) {
    movers[mover.index()].send<&Mover::destroy>();
    movers[mover.index()].send<&Mover::receive>();
  });
  EXPECT_ERROR(system.run_until_quiet(), usage, "which does not exist");
  EXPECT_EQ(count(movers), 0);
  system.run_until_quiet();
}

TEST_F(ChangingElements, CanBeInsertedAgainAtOnce) {
  Collection<Mover> movers(system, {.bounds = {{n_movers}}});
  move_all(movers);
  for (std::int64_t k = 0; k < n_movers; ++k) {
    Mover* const mover = movers.find({k});
    if (mover == nullptr) continue;
    mover->destroy();
    movers.insert({k});
    movers[{k}].send<&Mover::receive>();
  }
  system.run_until_quiet();
  for (std::int64_t k = 0; k < n_movers; ++k) movers[{k}].send<&Mover::receive>();
  system.next_phase();
  EXPECT_EQ(count(movers), n_movers);
  movers.for_each_local([&](const Mover& mover) {
    EXPECT_EQ(movers.home(mover.index()), system.rank());
    EXPECT_EQ(mover.received, 1 + system.rank_count());
  });
}

TEST_F(ChangingElements, MigrateToTheRankOfTheLastRequest) {
  Collection<Mover> movers(system, {.bounds = {{n_movers}}});
  movers.for_each_local(
      [&](const Mover& mover) { movers[mover.index()].send<&Mover::go>(next_rank(1), next_rank(2)); });
  system.next_phase();
  EXPECT_EQ(count(movers), n_movers);
  movers.for_each_local([&](const Mover& mover) {
    EXPECT_EQ((movers.home(mover.index()) + 2) % system.rank_count(), system.rank());
  });
}

TEST_F(ChangingElements, DoNotMigrateAfterTheirEnd) {
  Collection<Mover> movers(system, {.bounds = {{n_movers}}});
  movers.for_each_local(
      [&](const Mover& mover) { movers[mover.index()].send<&Mover::leave_and_die>(next_rank()); });
  system.next_phase();
  EXPECT_EQ(count(movers), 0);
}

TEST_F(ChangingElements, DoNotInheritMigrationRequests) {
  Collection<Mover> movers(system, {.bounds = {{n_movers}}});
  movers.for_each_local([&](Mover& mover) {
    const Index<1> index = mover.index();
    mover.leave_and_die(next_rank());
    movers.insert(index);
  });
  system.run_until_quiet();
  EXPECT_EQ(count(movers), n_movers);
  movers.for_each_local([&](const Mover& mover) { EXPECT_EQ(movers.home(mover.index()), system.rank()); });
}

TEST_F(ChangingElements, MayBelongToManyCollections) {
  Collection<Mover> others(system, {.bounds = {{n_movers}}});
  move_all(others);
  for (int k = 0; k < 20; ++k) {
    Collection<Mover> movers(system, {.bounds = {{n_movers}}});
    move_all(movers);
    movers[{k}].send<&Mover::receive>();
    others[{k}].send<&Mover::receive>();
    system.next_phase();
    EXPECT_EQ(count(movers), n_movers);
    const Mover* const mover = movers.find({k});
    EXPECT_EQ(mover == nullptr ? system.rank_count() : mover->received, system.rank_count());
  }
  EXPECT_EQ(count(others), n_movers);
}

TEST_F(ChangingElements, AreMissingOnceTheirCollectionIsDestroyed) {
  {
    Collection<Mover> movers(system, {.bounds = {{n_movers}}});
    for (std::int64_t k = 0; k < n_movers; ++k) movers[{k}].send<&Mover::receive>();
    movers.broadcast<&Mover::receive>();
  }
  EXPECT_ERROR(system.run_until_quiet(), usage, "collection 0, which does not exist");
  system.run_until_quiet();
}

TEST_F(ChangingElements, CannotBeConstructedOutsideOfCollections) {
  EXPECT_ERROR(Mover(), usage, "an element is constructed outside of a collection");
}

struct Nested : Element<Nested> {
  Nested() { const Mover mover; }
};

TEST_F(ChangingElements, CannotBeConstructedByConstructorsOfOthers) {
  EXPECT_ERROR(Collection<Nested>(system, {.bounds = {{n_movers}}}), usage,
               "an element is constructed outside of a collection");
}

TEST_F(ChangingElements, CannotWaitForMessages) {
  Collection<Mover> movers(system, {.bounds = {{n_movers}}});
  if (system.rank() == 0) movers[{0}].send<&Mover::wait>();
  EXPECT_ERROR(system.run_until_quiet(), usage, "called by an element");
}

TEST_F(ChangingElements, NeedTheSameCallsOnAllRanks) {
  if (system.rank_count() == 1) GTEST_SKIP() << "needs two ranks";
  const auto call = [&] {
    if (system.rank() == 0)
      system.next_phase();
    else
      system.run_until_quiet();
  };
  EXPECT_ERROR(call(), usage, "the ranks make different collective calls: rank 0 calls next_phase() with");
  EXPECT_EQ(system.next_phase().phase, 0);
}

struct Runner : Element<Runner> {
  int rounds = 0;

  Runner() { use_at_sync(); }
  void start() { at_sync(); }
  void start_and_die() {
    at_sync();
    destroy();
  }
  void resume_from_sync() override { ++rounds; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(rounds);
  }
};

TEST_F(ChangingElements, AreCountedByAtSync) {
  Collection<Runner> runners(system, {.bounds = {{n_movers}}});
  const std::int64_t phase = recorder.phase();
  const auto send = [&]<auto method>(std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k)
      if (system.rank() == 0) runners[{k}].template send<method>();
    system.run_until_quiet();
  };
  send.operator()<&Runner::start>(0, 10);
  send.operator()<&Runner::start_and_die>(10, 15);
  send.operator()<&Runner::destroy>(0, 5);  // after at_sync()
  EXPECT_EQ(recorder.phase(), phase);
  send.operator()<&Runner::destroy>(15, n_movers);  // all elements that are left have called at_sync()
  EXPECT_EQ(recorder.phase(), phase + 1);
  runners.for_each_local([](const Runner& runner) { EXPECT_EQ(runner.rounds, 1); });

  send.operator()<&Runner::start>(5, 10);
  EXPECT_EQ(recorder.phase(), phase + 2);
  if (system.rank() == 0) {
    for (std::int64_t k = 5; k < 10; ++k) runners[{k}].send<&Runner::start>();
    runners.insert({0});
  }
  system.run_until_quiet();
  EXPECT_EQ(recorder.phase(), phase + 2);  // the new one is missing
  send.operator()<&Runner::start>(0, 1);
  EXPECT_EQ(recorder.phase(), phase + 3);
}

}  // namespace
}  // namespace plimsoll::objects
