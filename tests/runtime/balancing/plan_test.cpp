#include <gtest/gtest.h>
#include <mpi.h>

#include <cmath>
#include <map>
#include <random>

#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/mpi/sparse_exchange.hpp>
#include <plimsoll/runtime/plan.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

/// A problem that all ranks know in full: objects by rank, with IDs in random order.
struct Problem {
  explicit Problem(int ranks, std::size_t objects_per_rank = 50) {
    std::mt19937_64 random(11);
    std::uniform_real_distribution<double> share(0, 1);
    stats.procs.resize(static_cast<std::size_t>(ranks));
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      first.push_back(ids.size());
      for (std::size_t k = 0; k < objects_per_rank; ++k) {
        ids.push_back(ObjectId{random()});
        stats.numbers.push_back(static_cast<std::uint64_t>(ids.back()));
        stats.obj_data.push_back({.walltime = (1 + rank) * std::pow(share(random), 4)});
        stats.from_proc.push_back(rank);
        stats.positions.push_back(share(random));
        stats.positions.push_back(share(random));
      }
    }
    first.push_back(ids.size());
    stats.n_axes = 2;
    stats.to_proc = stats.from_proc;
    for (std::uint32_t k = 0; k < ids.size(); ++k) {
      const auto other = static_cast<std::uint32_t>(random() % ids.size());
      if (other == k) continue;
      stats.comm_data.push_back({balance::CommEnd::object(k), balance::CommEnd::object(other),
                                 static_cast<double>(random() % 1000), 1});
    }
  }

  /// Returns the part of one rank. Each edge is recorded by its receiver.
  PlanObjects part(int rank) {
    const std::size_t begin = first[static_cast<std::size_t>(rank)];
    const std::size_t count = first[static_cast<std::size_t>(rank) + 1] - begin;
    loads_s.clear();
    for (std::size_t k = begin; k < begin + count; ++k) loads_s.push_back(stats.obj_data[k].walltime);
    edges.clear();
    for (const balance::LDCommData& edge : stats.comm_data)
      if (stats.from_proc[edge.receiver.index()] == rank)
        edges.push_back({ids[edge.sender.index()], ids[edge.receiver.index()], edge.bytes, edge.messages});
    return {.ids = std::span(ids).subspan(begin, count),
            .loads_s = loads_s,
            .positions = std::span(stats.positions).subspan(2 * begin, 2 * count),
            .axes = 2,
            .edges = edges};
  }

  /// Returns the rank of each object that the strategy chooses in one process. The edges are in the order in
  /// which the ranks have recorded them.
  std::map<ObjectId, int> placement(const std::string& strategy) const {
    balance::LDStats all = stats;
    std::ranges::stable_sort(all.comm_data, {}, [&](const balance::LDCommData& edge) {
      return all.from_proc[edge.receiver.index()];
    });
    balance::make_strategy(balance::StrategySpec::parse(strategy))->work(all);
    std::map<ObjectId, int> result;
    for (std::size_t k = 0; k < ids.size(); ++k) result[ids[k]] = all.to_proc[k];
    return result;
  }

  balance::LDStats stats;
  std::vector<ObjectId> ids;
  std::vector<std::size_t> first;
  std::vector<double> loads_s;
  std::vector<PlanEdge> edges;
};

class Plan : public ::testing::Test {
 protected:
  void TearDown() override { communicator.barrier(); }

  /// Expects that the objects of this rank are exported as `placement` says, and that the imports of all
  /// ranks are the exports of the others.
  void expect_follows(const MigrationPlan& plan, const std::map<ObjectId, int>& placement,
                      const PlanObjects& mine) {
    std::map<ObjectId, int> leaving;
    for (const Move& move : plan.exports) {
      EXPECT_EQ(move.from, rank);
      EXPECT_TRUE(leaving.emplace(move.object, move.to).second) << "exported twice";
    }
    std::int64_t moves = 0;
    for (const ObjectId id : mine.ids) {
      const int to = placement.at(id);
      EXPECT_EQ(leaving.contains(id), to != rank);
      EXPECT_EQ(to == rank ? rank : leaving[id], to);
    }
    for (const auto& [id, to] : placement) moves += to != home_of.at(id) ? 1 : 0;
    EXPECT_EQ(plan.moves, moves);
    std::map<ObjectId, int> coming;
    for (const Move& move : plan.imports) {
      EXPECT_EQ(move.to, rank);
      EXPECT_EQ(move.from, home_of.at(move.object));
      EXPECT_TRUE(coming.emplace(move.object, move.from).second) << "imported twice";
    }
    for (const auto& [id, to] : placement)
      EXPECT_EQ(coming.contains(id), to == rank && home_of.at(id) != rank);
  }

  void know_homes(const Problem& problem) {
    for (std::size_t k = 0; k < problem.ids.size(); ++k) home_of[problem.ids[k]] = problem.stats.from_proc[k];
  }

  const mpi::Communicator communicator{MPI_COMM_WORLD};
  const int rank = communicator.rank();
  const int size = communicator.size();
  std::map<ObjectId, int> home_of;
};

TEST_F(Plan, IsTheDecisionOfTheStrategyInOneProcess) {
  Problem problem(size);
  know_homes(problem);
  for (const std::string strategy : {"GreedyLB", "RefineLB", "RefineLB(max_moves=7)", "RotateLB", "RandomLB",
                                     "OrbLB", "CommAwareRefineLB", "RecBipartLB", "BlockLB"}) {
    SCOPED_TRACE(strategy);
    const PlanObjects mine = problem.part(rank);
    const MigrationPlan plan = runtime::plan(MPI_COMM_WORLD, mine, {.strategy = strategy});
    expect_follows(plan, problem.placement(strategy), mine);
    EXPECT_EQ(plan.strategy, balance::StrategySpec::parse(strategy).name);
  }
}

TEST_F(Plan, PredictsTimesOfTheRanks) {
  const std::vector<ObjectId> ids = {ObjectId(10 * rank + 1), ObjectId(10 * rank + 2)};
  const std::vector<double> loads_s(2, rank == 0 ? 3.0 * size : 0);
  const MigrationPlan plan =
      runtime::plan(MPI_COMM_WORLD, {.ids = ids, .loads_s = loads_s}, {.strategy = "GreedyLB"});
  EXPECT_DOUBLE_EQ(plan.max_time_before_s, 6.0 * size);
  EXPECT_DOUBLE_EQ(plan.max_time_after_s, size == 1 ? 6.0 : 3.0 * size) << "two objects on two ranks";
  EXPECT_DOUBLE_EQ(plan.mean_time_s, 6.0);
  EXPECT_GT(plan.decision_s, 0);
}

TEST_F(Plan, IsEmptyWithoutObjects) {
  const MigrationPlan plan = runtime::plan(MPI_COMM_WORLD, {});
  EXPECT_TRUE(plan.empty());
  EXPECT_TRUE(plan.exports.empty());
  EXPECT_EQ(plan.gain_s(), 0);
}

TEST_F(Plan, KeepsObjectsThatMayNotMigrateAndLeavesUnavailableRanks) {
  if (size == 1) GTEST_SKIP() << "needs two ranks";
  Problem problem(size);
  PlanObjects mine = problem.part(rank);
  std::vector<std::uint8_t> migratable(mine.ids.size(), 1);
  if (rank == 0) migratable[3] = 0;
  mine.migratable = migratable;
  const MigrationPlan plan = runtime::plan(MPI_COMM_WORLD, mine, {.available = rank != 0});
  if (rank == 0) {
    EXPECT_EQ(plan.exports.size(), mine.ids.size() - 1);
    for (const Move& move : plan.exports) EXPECT_NE(move.object, mine.ids[3]);
    EXPECT_TRUE(plan.imports.empty());
  }
}

TEST_F(Plan, CountsBackgroundAndSpeed) {
  if (size == 1) GTEST_SKIP() << "needs two ranks";
  // Rank 0 has 12 objects of 1 s. Rank 1 is as fast, but busy for 4 s with other work.
  std::vector<ObjectId> ids;
  for (std::uint64_t k = 1; rank == 0 && k <= 12; ++k) ids.push_back(ObjectId{k});
  const std::vector<double> loads_s(ids.size(), 1.0);
  const MigrationPlan plan =
      runtime::plan(MPI_COMM_WORLD, {.ids = ids, .loads_s = loads_s},
                    {.strategy = "GreedyLB", .background_s = rank == 1 ? 4.0 : 0, .available = rank < 2});
  EXPECT_EQ(plan.moves, 4);
  EXPECT_DOUBLE_EQ(plan.max_time_after_s, 8);
}

TEST_F(Plan, ReportsErrorsOfOneRankOnAllRanks) {
  const std::vector<ObjectId> ids = {ObjectId(rank + 1)};
  const std::vector<double> loads_s(rank == 0 ? 2 : 1, 1.0);
  EXPECT_ERROR(runtime::plan(MPI_COMM_WORLD, {.ids = ids, .loads_s = loads_s}), usage,
               "invalid loads: 2 values for 1 objects");
  EXPECT_ERROR(runtime::plan(MPI_COMM_WORLD, {}, {.strategy = rank == size - 1 ? "RefinLB" : "RefineLB"}),
               usage, "RefinLB");
}

TEST_F(Plan, NamesInvalidValuesOnAllRanks) {
  const int last = size - 1;
  const std::vector<ObjectId> ids = {ObjectId(rank + 17)};
  const std::vector<double> valid = {1.0};
  const std::vector<double> invalid = {rank == last ? -1.5 : 1.0};
  const std::vector<double> infinite = {rank == last ? INFINITY : 1.0};
  EXPECT_ERROR(runtime::plan(MPI_COMM_WORLD, {.ids = ids, .loads_s = invalid}), usage,
               "invalid load of object " + std::to_string(last + 17) + ": -1.5 s");
  EXPECT_ERROR(runtime::plan(MPI_COMM_WORLD, {.ids = ids, .loads_s = infinite}), usage, ": inf s");
  EXPECT_ERROR(runtime::plan(MPI_COMM_WORLD, {.ids = ids, .loads_s = valid, .sizes_bytes = invalid}), usage,
               "invalid size of object " + std::to_string(last + 17) + ": -1.5 bytes");
  EXPECT_ERROR(runtime::plan(MPI_COMM_WORLD, {.ids = ids, .loads_s = valid, .positions = infinite, .axes = 1},
                             {.strategy = "OrbLB"}),
               usage, "invalid coordinate of object " + std::to_string(last + 17) + ": inf");
  EXPECT_ERROR(runtime::plan(MPI_COMM_WORLD, {}, {.speed = rank == last ? 0.0 : 1.0}), usage,
               "invalid speed of rank " + std::to_string(last) + ": 0");
  EXPECT_ERROR(runtime::plan(MPI_COMM_WORLD, {}, {.background_s = invalid[0]}), usage,
               "invalid background load of rank " + std::to_string(last) + ": -1.5 s");
}

TEST_F(Plan, ReportsErrorsOfTheStrategyOnAllRanks) {
  const std::vector<ObjectId> ids = {ObjectId(rank + 1)};
  EXPECT_ERROR(runtime::plan(MPI_COMM_WORLD, {.ids = ids, .loads_s = std::vector<double>(1, 1.0)},
                             {.strategy = "OrbLB"}),
               usage, "missing object positions");
}

}  // namespace
}  // namespace plimsoll::runtime
