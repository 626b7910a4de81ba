#include "runtime/balancing/decide_in_rounds.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/runtime/plan.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

using ::testing::HasSubstr;

/// Objects that several strategies and executors balance.
struct TestObjects {
  std::vector<ObjectId> ids;
  std::vector<double> loads_s;
  std::vector<std::uint8_t> migratable;
  std::vector<double> positions;
  std::vector<PlanEdge> edges;
};

ObjectId test_id(int rank, int object) {
  return ObjectId{static_cast<std::uint64_t>(((1000 * rank + object) * 7919) % 100'003)};
}

/// Returns the objects of a rank: the higher the rank, the more and the heavier. They are in a row, and send
/// to the next object, and to one of another rank. The rank also knows messages between two other ranks.
TestObjects objects_of(int rank, int n_ranks) {
  TestObjects objects;
  for (int object = 0; object < 15 * (rank + 1); ++object) {
    const ObjectId id = test_id(rank, object);
    objects.ids.push_back(id);
    objects.loads_s.push_back((1 + rank) * (1.1 + std::sin(1000 * rank + object)));
    objects.migratable.push_back(object % 7 == 3 ? 0 : 1);
    objects.positions.insert(objects.positions.end(), {object + 0.5 * rank, 1.0 * (object % 4)});
    const auto other_rank = [&](int distance) { return (rank + distance) % n_ranks; };
    objects.edges.push_back({id, test_id(rank, object + 1), 100.0 + object, 2});
    objects.edges.push_back({id, test_id(other_rank(1), object % 15), 0.1 * object, 1});
    objects.edges.push_back(
        {test_id(other_rank(2), object % 11), test_id(other_rank(1), object % 13), 0.7, 3});
  }
  return objects;
}

PlanObjects view_of(const TestObjects& objects) {
  return {.ids = objects.ids,
          .loads_s = objects.loads_s,
          .migratable = objects.migratable,
          .positions = objects.positions,
          .axes = 2,
          .edges = objects.edges};
}

PlanOptions options_of(int rank, const std::string& strategy) {
  return {.strategy = strategy, .background_s = 0.3 * rank, .speed = 1 + 0.1 * (rank % 3)};
}

/// Returns the stats of all ranks, as `plimsoll balance` would have them.
balance::LDStats stats_of_all(int ranks) {
  balance::LDStats stats;
  for (int rank = 0; rank < ranks; ++rank) {
    const PlanOptions options = options_of(rank, "");
    stats.procs.push_back({.bg_walltime = static_cast<balance::LBRealType>(options.background_s),
                           .pe_speed = options.speed,
                           .node = 0});
    const TestObjects objects = objects_of(rank, ranks);
    for (std::size_t object = objects.ids.size(); object-- > 0;) {  // another order than that of the ranks
      stats.numbers.push_back(static_cast<std::uint64_t>(objects.ids[object]));
      stats.obj_data.push_back(
          {static_cast<balance::LBRealType>(objects.loads_s[object]), objects.migratable[object] != 0});
      stats.positions.insert(stats.positions.end(),
                             {objects.positions[2 * object], objects.positions[2 * object + 1]});
      stats.from_proc.push_back(rank);
    }
  }
  stats.n_axes = 2;
  stats.to_proc = stats.from_proc;
  const auto end_of = [&](ObjectId id) {
    const auto found = std::ranges::find(stats.numbers, static_cast<std::uint64_t>(id));
    return found == stats.numbers.end()
               ? std::optional<balance::CommEnd>()
               : balance::CommEnd::object(static_cast<std::uint32_t>(found - stats.numbers.begin()));
  };
  for (int rank = ranks; rank-- > 0;) {
    for (const PlanEdge& edge : objects_of(rank, ranks).edges)
      if (const auto from = end_of(edge.from), to = end_of(edge.to); from && to)
        stats.comm_data.push_back({*from, *to, edge.bytes, edge.messages});
  }
  return stats;
}

TEST(DecideInRounds, PlacesObjectsLikeSimulatedRanks) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  for (const std::string strategy :
       {"TemperedLB", "TemperedLB(seed=3,iters=2)", "TemperedLB(criterion=Grapevine,trials=2)",
        "TemperedLB(beta=0.001,iters=2)",
        "TemperedLB(transfer=SwapClusters,clusters=Communication,beta=0.01,iters=2)", "DiffusionLB",
        "DiffusionLB(tolerance=1.01,migration_cost=0)", "DiffusionLB(neighbors=1,passes=1)",
        "DistributedOrbLB", "DistributedOrbLB(tolerance=1)"}) {
    balance::LDStats stats = stats_of_all(world.size());
    const auto simulated = balance::make_strategy(balance::StrategySpec::parse(strategy));
    simulated->work(stats);
    const TestObjects mine = objects_of(world.rank(), world.size());
    const MigrationPlan online = plan(world, view_of(mine), options_of(world.rank(), strategy));
    std::size_t n_leaving = 0;
    for (std::size_t object = 0; object < stats.numbers.size(); ++object) {
      if (stats.from_proc[object] != world.rank()) continue;
      const auto move = std::ranges::find(online.exports, ObjectId{stats.numbers[object]}, &Move::object);
      const int to = move == online.exports.end() ? world.rank() : move->to;
      EXPECT_EQ(to, stats.to_proc[object]) << strategy << ", object " << stats.numbers[object];
      n_leaving += to == world.rank() ? 0 : 1;
    }
    EXPECT_EQ(online.exports.size(), n_leaving);
    EXPECT_NEAR(online.max_time_before_s, balance::phase_time(stats, stats.from_proc), 1e-9);
    EXPECT_NEAR(online.max_time_after_s, balance::phase_time(stats, stats.to_proc), 1e-9);
    EXPECT_EQ(online.moves > 0, world.size() > 1);
    // Simulated ranks know where the neighbours of objects are.
    EXPECT_EQ(online.remark == simulated->remarks().front().text, !simulated->needs().communication);
  }
}

TEST(DecideInRounds, KeepsTheMigrationsThatReduceTheMaximumMost) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  RankStats mine;
  if (world.rank() == 0) {
    for (std::uint64_t object = 0; object < 20; ++object) {
      mine.ids.push_back(ObjectId{object});
      mine.loads_s.push_back(1 + 0.01 * static_cast<double>(object));
    }
  }
  const auto strategy = balance::make_strategy({.name = "TemperedLB"});
  DecidedRank decided;
  const auto count = [&](std::int64_t max_moves) {
    return std::ssize(decide_in_rounds(world, mine, strategy->needs(), *balance::distributed_part(*strategy),
                                       max_moves, decided));
  };
  const std::int64_t all = count(std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(all >= 10, world.rank() == 0 && world.size() > 1);
  for (const std::int64_t max_moves : {0, 1, 4, 9, 30}) EXPECT_EQ(count(max_moves), std::min(all, max_moves));
}

TEST(DecideInRounds, AgreesOnUnavailableRanks) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  const TestObjects mine = objects_of(world.rank(), world.size());
  PlanOptions options = options_of(world.rank(), "TemperedLB");
  options.available = world.rank() == 0;
  const MigrationPlan online = plan(world, view_of(mine), options);
  const auto n_migratable = std::ranges::count(mine.migratable, 1);
  EXPECT_EQ(std::ssize(online.exports), world.rank() == 0 ? 0 : n_migratable);
  options.available = false;
  EXPECT_ERROR(plan(world, view_of(mine), options), usage, "processors are unavailable");
}

TEST(DecideInRounds, ReportsInvalidValuesOfOneRankOnAllRanks) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  TestObjects mine = objects_of(world.rank(), world.size());
  if (world.rank() == world.size() - 1) mine.loads_s.front() = -1;
  EXPECT_ERROR(plan(world, view_of(mine), {.strategy = "TemperedLB"}), usage, "invalid load of object");
  mine = objects_of(world.rank(), world.size());
  if (world.rank() == world.size() - 1) mine.ids[1] = mine.ids[0];
  for (const std::string strategy : {"TemperedLB", "DiffusionLB"})
    EXPECT_ERROR(plan(world, view_of(mine), {.strategy = strategy}), usage, "is registered twice on rank");
}

TEST(DecideInRounds, ReportsLoadsWhoseSumIsNotFinite) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  TestObjects mine = objects_of(world.rank(), world.size());
  if (world.rank() == 0) mine.loads_s[0] = mine.loads_s[1] = 1e308;
  for (const std::string strategy : {"TemperedLB", "GreedyLB"})
    EXPECT_ERROR(plan(world, view_of(mine), {.strategy = strategy}), usage,
                 "the sum of the loads of all ranks is not finite; use smaller loads");
}

TEST(DecideInRounds, ReportsObjectsThatTwoRanksHaveOnAllRanks) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  if (world.size() == 1) GTEST_SKIP() << "needs two ranks";
  TestObjects mine = objects_of(world.rank(), world.size());
  if (world.rank() == world.size() - 1) mine.ids[1] = test_id(0, 1);
  EXPECT_ERROR(plan(world, view_of(mine), {.strategy = "DiffusionLB"}), usage,
               "is registered on rank 0 and on rank");
}

TEST(DecideInRounds, ReportsInvalidCommunicationOfOneRankOnAllRanks) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  TestObjects mine = objects_of(world.rank(), world.size());
  if (world.rank() == world.size() - 1) mine.edges[0].bytes = -1;
  EXPECT_ERROR(plan(world, view_of(mine), {.strategy = "DiffusionLB"}), bad_input,
               "invalid communication of rank");
}

TEST(DecideInRounds, ReportsPositionsOfDifferentLengthsOnAllRanks) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  const TestObjects mine = objects_of(world.rank(), world.size());
  PlanObjects view = view_of(mine);
  view.positions = {};
  view.axes = 0;
  EXPECT_ERROR(plan(world, view, {.strategy = "DistributedOrbLB"}), usage, "missing object positions");
  if (world.size() == 1) return;
  view = view_of(mine);
  std::vector<double> lengths(mine.ids.size(), 1.0);
  if (world.rank() == world.size() - 1) {
    view.positions = lengths;
    view.axes = 1;
  }
  EXPECT_ERROR(plan(world, view, {.strategy = "DistributedOrbLB"}), usage,
               "use the same number of coordinates");
}

TEST(DecideInRounds, ReportsDifferentStrategiesOnAllRanks) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  if (world.size() == 1) GTEST_SKIP() << "needs two ranks";
  const TestObjects mine = objects_of(world.rank(), world.size());
  const bool is_last = world.rank() == world.size() - 1;
  EXPECT_ERROR(plan(world, view_of(mine), {.strategy = is_last ? "GreedyLB" : "TemperedLB"}), usage,
               "different strategies");
  EXPECT_ERROR(plan(world, view_of(mine), {.strategy = is_last ? "TemperedLB(iters=3)" : "TemperedLB"}),
               usage, "iters=3");
  EXPECT_ERROR(plan(world, view_of(mine), {.strategy = is_last ? "DiffusionLB(passes=2)" : "DiffusionLB"}),
               usage, "passes=2");
}

/// Strategy that fails on the last rank.
class FailingStrategy : public balance::DistributedStrategy {
 public:
  enum class Place { in_round, between_rounds, after_rounds };
  FailingStrategy(Place place, int failing_round)
      : DistributedStrategy("FailingLB", balance::Parameters("FailingLB", {})),
        place_(place),
        failing_round_(failing_round) {}

 private:
  void place(balance::RankRounds& rounds, std::span<balance::LocalRank>) override {
    const bool fails = rounds.first_local_rank() == rounds.ranks() - 1;
    for (int round = 0; round < 4; ++round) {
      rounds.run([&](std::int32_t, balance::Inbox, balance::Outbox&) {
        if (fails && place_ == Place::in_round && round == failing_round_) fail();
      });
      if (fails && place_ == Place::between_rounds && round == failing_round_) fail();
      if (round == 2) rounds.maximum(std::vector<double>{1});
    }
    if (fails && place_ == Place::after_rounds) fail();
  }
  static void fail() { throw support::usage_error("no objects left", "use 2 ranks"); }

  Place place_;
  int failing_round_;
};

// Ends with a time-out if a rank waits.
TEST(DecideInRounds, ReportsTheErrorOfAStrategyOnAllRanksWhereverItFails) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  const TestObjects objects = objects_of(world.rank(), world.size());
  RankStats mine;
  mine.ids = objects.ids;
  mine.loads_s = objects.loads_s;
  using enum FailingStrategy::Place;
  for (const auto place : {in_round, between_rounds, after_rounds}) {
    for (int round = 0; round < 4; ++round) {
      FailingStrategy strategy(place, round);
      DecidedRank decided;
      const auto error = plimsoll::testing::error_of(
          [&] { decide_in_rounds(world, mine, balance::StrategyNeeds(), strategy, 100, decided); });
      ASSERT_TRUE(error);
      EXPECT_THAT(error->what(), HasSubstr("no objects left; use 2 ranks"));
      const std::string prefix = "rank " + std::to_string(world.size() - 1) + ": ";
      EXPECT_THAT(error->what(), HasSubstr(world.size() > 1 ? prefix : ""));
    }
  }
}

}  // namespace
}  // namespace plimsoll::runtime
