// When elements migrate that request it, and what the files and the summaries contain of it.

#include <cereal/types/string.hpp>
#include <cereal/types/unordered_map.hpp>
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include <plimsoll/objects.hpp>

#include "common/throws_error.hpp"
#include "objects/elements/element_identity.hpp"
#include "objects/system/system_parts.hpp"
#include "runtime/recorder/recorder_test.hpp"

namespace plimsoll::testing {
namespace {

constexpr std::int64_t n_nomads = 20;

struct Nomad : Element<Nomad> {
  int steps = 0;
  int arrivals = 0;

  void step() { ++steps; }
  void step_and_go(int distance) {
    ++steps;
    go(distance);
  }
  void go(int distance) { migrate_to((system().rank() + distance) % system().rank_count()); }
  void synchronise() { at_sync(); }
  void just_migrated() override { ++arrivals; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(steps, arrivals);
  }
};

class MigratingElements : public RecorderRun {
 protected:
  /// Returns whether all elements are `distance` ranks after their homes.
  bool all_are_away_by(int distance) {
    bool are = true;
    nomads.for_each_local([&](const Nomad& nomad) {
      are = are && (nomads.home(nomad.index()) + distance) % system.rank_count() == system.rank();
    });
    return are;
  }
  void send_to_all(int distance) {
    if (system.rank() == 0) nomads.broadcast<&Nomad::step_and_go>(distance);
  }

  LoadRecorder recorder{MPI_COMM_WORLD, settings()};
  ObjectSystem system{recorder};
  Collection<Nomad> nomads{system, {.bounds = {{n_nomads}}}};
  const std::int64_t all_that_migrate = count > 1 ? n_nomads : 0;
};

TEST_F(MigratingElements, WorkOnOneRankPerPhase) {
  for (int phase = 0; phase < 3; ++phase) {
    send_to_all(1);
    system.run_until_quiet();
    EXPECT_TRUE(all_are_away_by(phase)) << "elements that have worked stay until the end of the phase";
    if (system.rank() == 0) nomads.broadcast<&Nomad::step>();
    const PhaseSummary summary = system.next_phase();
    EXPECT_EQ(summary.balancing.migrations, all_that_migrate);
    EXPECT_EQ(summary.balancing.strategy, count > 1 ? "program" : "");
    EXPECT_TRUE(all_are_away_by(phase + 1));
  }
  nomads.for_each_local([&](const Nomad& nomad) {
    EXPECT_EQ(nomad.steps, 6);
    EXPECT_EQ(nomad.arrivals, count > 1 ? 3 : 0);
  });
  recorder.close();

  const lbdata::Dataset dataset = read();
  for (std::size_t phase = 0; phase < 3; ++phase) {
    std::map<std::uint64_t, std::vector<int>> ranks_of_element;
    for (int rank = 0; rank < count; ++rank) {
      const lbdata::Tasks& tasks = dataset.ranks[static_cast<std::size_t>(rank)].phases[phase].tasks;
      for (const lbdata::EntityIndex entity : tasks.entity)
        if (dataset.entities.migratable(entity))
          ranks_of_element[dataset.entities.number(entity).bits].push_back(rank);
    }
    EXPECT_EQ(ranks_of_element.size(), n_nomads);
    for (const auto& [id, ranks] : ranks_of_element) {
      const auto number = static_cast<std::int64_t>(
          objects::element_key(*runtime::object_number(ObjectId{id})).value().position);
      EXPECT_EQ(ranks, std::vector<int>{(nomads.home({number}) + static_cast<int>(phase)) % count});
    }
  }
}

TEST_F(MigratingElements, LeaveAtOnceIfNoneHasWorkedInThePhase) {
  for (int phase = 0; phase < 2; ++phase) {
    nomads.for_each_local([](Nomad& nomad) { nomad.go(1); });
    system.run_until_quiet();
    EXPECT_TRUE(all_are_away_by(phase + 1));
    if (system.rank() == 0) nomads.broadcast<&Nomad::step>();
    EXPECT_EQ(system.next_phase().balancing.migrations, all_that_migrate);
  }
  recorder.close();
  read();  // finds objects on two ranks
}

TEST_F(MigratingElements, StayWhenTheirLoadIsSet) {
  nomads.for_each_local([](Nomad& nomad) {
    nomad.set_obj_time(2);
    nomad.go(1);
  });
  system.run_until_quiet();
  EXPECT_TRUE(all_are_away_by(0));
  const PhaseSummary summary = system.next_phase();
  EXPECT_TRUE(all_are_away_by(1));
  EXPECT_DOUBLE_EQ(summary.balancing.rank_load_s.sum(), 2 * n_nomads);
  recorder.close();
  read();
}

TEST_F(MigratingElements, PreferTheirRequestsToTheStrategy) {
  system.balancer().set_strategy("RotateLB");
  nomads.for_each_local([&](Nomad& nomad) {
    nomad.set_obj_time(1);
    if (nomad.index()[0] % 3 == 0) nomad.go(2);
    if (nomad.index()[0] % 3 == 1) nomad.go(0);  // wants to stay
  });
  const PhaseSummary summary = system.next_phase();
  std::int64_t expected_migrations = 0;
  for (std::int64_t k = 0; k < n_nomads; ++k) {
    const int distance = k % 3 == 0 ? 2 : k % 3 == 1 ? 0 : 1;
    if (distance % count != 0) ++expected_migrations;
    EXPECT_EQ(nomads.find({k}) != nullptr, (nomads.home({k}) + distance) % count == system.rank()) << k;
  }
  EXPECT_EQ(summary.balancing.strategy, "RotateLB");
  EXPECT_EQ(summary.balancing.migrations, expected_migrations);
  EXPECT_DOUBLE_EQ(summary.balancing.rank_load_s.sum(), n_nomads);
  const double mine = static_cast<double>(nomads.local_count());
  EXPECT_DOUBLE_EQ(summary.balancing.rank_load_s.maximum(), recorder.communicator().max(mine));
  recorder.close();
}

TEST_F(MigratingElements, AreCountedInThePhasesThatTheyEnd) {
  EXPECT_FALSE(system.last_summary());
  std::vector<std::int64_t> migrations;
  recorder.on_phase_end(
      [&](const PhaseSummary& summary) { migrations.push_back(summary.balancing.migrations); });
  send_to_all(1);
  nomads.broadcast<&Nomad::synchronise>();
  system.run_until_quiet();
  EXPECT_TRUE(all_are_away_by(1));
  EXPECT_EQ(migrations, std::vector<std::int64_t>{all_that_migrate});
  ASSERT_TRUE(system.last_summary());
  EXPECT_EQ(system.last_summary()->phase, 0);
  EXPECT_EQ(system.last_summary()->balancing.migrations, all_that_migrate);
  recorder.close();
}

TEST_F(MigratingElements, DropTheirRequestsWhenThePhaseFails) {
  send_to_all(1);
  system.run_until_quiet();
  if (system.rank() == 0) recorder.note(support::usage_error("it failed", ""));
  EXPECT_ERROR(system.next_phase(), usage, "it failed");
  system.next_phase();
  EXPECT_TRUE(all_are_away_by(0));
  recorder.close();
}

}  // namespace
}  // namespace plimsoll::testing

namespace plimsoll::PLIMSOLL_ABI::objects {
namespace {

class ConservationTest : public ::testing::Test {
 protected:
  static ObjectId element(std::uint64_t number) { return runtime::object_id(0, number); }
  /// Compares the elements before and after migrations.
  void compare(const std::vector<ObjectId>& before, const std::vector<ObjectId>& after) {
    conservation.begin(before);
    conservation.end(ranks, after,
                     [](ObjectId id) { return "element " + std::to_string(*runtime::object_number(id)); });
  }

  const mpi::Communicator ranks{MPI_COMM_WORLD};
  ObjectId next() const { return element(static_cast<std::uint64_t>((ranks.rank() + 1) % ranks.size())); }
  const ObjectId mine = element(static_cast<std::uint64_t>(ranks.rank()));
  Conservation conservation;
};

TEST_F(ConservationTest, AcceptsMigrations) {
  compare({mine}, {next()});
  conservation.begin({mine});
  conservation.created(element(100));
  conservation.created(element(101));
  conservation.destroyed(element(100));
  conservation.destroyed(mine);
  EXPECT_NO_THROW(conservation.end(ranks, {element(101)}, [](ObjectId) { return std::string(); }));
}

TEST_F(ConservationTest, NamesLostAndDoubledElements) {
  const bool is_last = ranks.rank() == ranks.size() - 1;
  const std::vector<ObjectId> none;
  EXPECT_ERROR(compare(is_last ? std::vector{element(7)} : none, {}), system,
               "element 7 is on no rank after migrations");
  EXPECT_ERROR(compare({mine}, is_last ? std::vector{mine, element(0)} : std::vector{mine}), system,
               "element 0 is on two ranks after migrations");
  compare({mine}, {mine});
}

/// Element that changes when it is read, if `forgets`.
struct Forgetful : Element<Forgetful> {
  std::string name = "Plimsoll";
  std::unordered_map<int, int> squares;
  static inline bool forgets = false;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(name, squares);
    if (Archive::is_loading::value && forgets && index()[0] == 3) name += '?';
  }
};

TEST_F(ConservationTest, NamesElementsThatChangeWhenTheyMigrate) {
  if (ranks.size() == 1) GTEST_SKIP() << "needs two ranks";
  LoadRecorder recorder(MPI_COMM_WORLD, {.lb_quiet = true, .lb_check = true});
  ObjectSystem system(recorder);
  Collection<Forgetful> elements(system, {.bounds = {{5}}});
  for (const bool forgets : {false, true, false}) {
    Forgetful::forgets = forgets;
    elements.for_each_local([&](Forgetful& element) {
      for (int k = 0; k < 100; ++k) element.squares[k * 17 % 101] = k * k;
      element.migrate_to((system.rank() + 1) % system.rank_count());
    });
    if (forgets)
      EXPECT_ERROR(system.next_phase(), usage,
                   "element (3) of \"elements\": the element has another state after its migration");
    else
      system.next_phase();
    elements.for_each_local([](const Forgetful& element) { EXPECT_EQ(element.name, "Plimsoll"); });
  }
}

}  // namespace
}  // namespace plimsoll::objects
