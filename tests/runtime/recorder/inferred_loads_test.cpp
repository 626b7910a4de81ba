#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <plimsoll/balance/inferred_costs.hpp>
#include <plimsoll/runtime/balancer.hpp>

#include "runtime/balancing/object_store.hpp"
#include "runtime/recorder/recorder_test.hpp"

namespace plimsoll::testing {
namespace {

using runtime::object_id;
using runtime::ObjectStore;
using ::testing::HasSubstr;

class InferringLoads : public RecorderRun {
 protected:
  /// Expects that the next phase end throws an error with this text on all ranks.
  static void expect_error(LoadRecorder& recorder, const std::string& text) {
    EXPECT_ERROR(recorder.next_phase(), usage, text);
  }
};

/// Features of block k: cells and particles.
std::vector<double> features_of(std::int64_t k) {
  return {double(16 + k % 3), double((7 * k) % 5)};
}

double true_load_s(std::int64_t k) {
  return 0.25 * features_of(k)[0] + 2 * features_of(k)[1];
}

TEST_F(InferringLoads, InfersLoadsFromTimesOfPacks) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  recorder.infer_loads({"cells", "particles"});
  EXPECT_TRUE(recorder.inferred_costs().costs.empty());
  std::vector<ObjectHandle> blocks;
  for (std::int64_t k = 0; k < 12; ++k) {
    blocks.push_back(recorder.register_object({.index = {k}}));
    recorder.set_features(blocks.back(), features_of(k + rank));
    recorder.set_pack(blocks.back(), static_cast<int>(k / 3));
  }
  for (int phase = 0; phase < 3; ++phase) {
    for (std::int64_t k = 0; k < 12; ++k)
      recorder.add_pack_time(static_cast<int>(k / 3), true_load_s(k + rank));
    const PhaseSummary summary = recorder.next_phase();
    const balance::InferredCosts found = recorder.inferred_costs();
    ASSERT_EQ(found.costs.size(), 2U);
    EXPECT_EQ(found.costs[0].feature, "cells");
    EXPECT_NEAR(found.costs[0].cost_s, 0.25, phase == 0 ? 0.1 : 0.01);
    EXPECT_NEAR(found.costs[1].cost_s, 2, phase == 0 ? 0.5 : 0.05);
    double sum_s = 0;
    for (std::int64_t k = 0; k < 12; ++k) sum_s += true_load_s(k + rank);
    const std::vector<double>& loads = recorder.node_lb_data().phases().back().tasks.time_s;
    EXPECT_NEAR(std::accumulate(loads.begin(), loads.end(), 0.0), sum_s, 0.03 * sum_s);
    EXPECT_GT(summary.rank_load_s.maximum(), 0.9 * sum_s);
  }
  recorder.close();
}

TEST_F(InferringLoads, ExplainsTheTimeOfTheRankWithoutOtherObjects) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  recorder.infer_loads({"cells"});
  const ObjectHandle block = recorder.register_object({.index = {0}});
  const ObjectHandle other = recorder.register_object({.index = {1}});
  recorder.set_features(block, std::vector{10.0 * (rank + 1)});
  recorder.add_time(block, 50.0 * (rank + 1));  // in addition to the background time, which is short
  recorder.add_time(other, 7);
  const PhaseSummary summary = recorder.next_phase();
  EXPECT_NEAR(recorder.inferred_costs().costs.front().cost_s, 5, 0.2);
  const lbdata::PhaseRecord& record = recorder.node_lb_data().phases().back();
  ASSERT_EQ(record.tasks.size(), 3U);  // the first is the rank object
  EXPECT_NEAR(record.tasks.time_s[1], 50.0 * (rank + 1), 2);
  EXPECT_EQ(record.tasks.time_s[2], 7);
  EXPECT_EQ(summary.times.background_s, 0);
  recorder.close();
}

TEST_F(InferringLoads, WritesFeaturesAndCosts) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  recorder.infer_loads({"cells", "flags"});
  const ObjectHandle block = recorder.register_object({.index = {0}});
  recorder.set_features(block, std::vector{10.0, 0.0});
  recorder.set_value(block, UserValueKind::user_defined, "level", std::int64_t{2});
  recorder.set_pack(block, 0);
  recorder.add_pack_time(0, 5);
  recorder.next_phase();
  recorder.close();
  const lbdata::Dataset data = read();
  if (rank != 0) return;
  const lbdata::PhaseRecord& record = data.ranks.front().phases.front();
  EXPECT_EQ(record.tasks.user_defined.at(1), R"({"cells":10.0,"flags":0.0,"level":2})");
  const auto costs = balance::inferred_costs(record);
  ASSERT_TRUE(costs.has_value());
  EXPECT_EQ(costs->costs.front().feature, "cells");
  EXPECT_NEAR(costs->costs.front().cost_s, 0.5, 1e-6);
  EXPECT_THAT(costs->remarks, ::testing::ElementsAre(HasSubstr("feature \"cells\" is 10 for all objects"),
                                                     HasSubstr("feature \"flags\" is 0 for all objects")));
  for (const lbdata::RankData& each : data.ranks)
    EXPECT_THAT(each.phases.front().user_defined.value(), HasSubstr(R"("inferred_time":5.0)"));
}

TEST_F(InferringLoads, NamesObjectAndFeatureOfAnInvalidValue) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  recorder.infer_loads({"cells", "particles"});
  const ObjectHandle block = recorder.register_object({.index = {0}, .home = rank, .number = 5});
  const double infinity = std::numeric_limits<double>::infinity();
  const std::string of_block = " of feature \"particles\" of object 5 of home rank 0";
  for (const auto& [value, text] :
       {std::pair(std::nan(""), "nan"), {-1.0, "-1"}, {infinity, "inf"}, {1e101, "1e+101"}}) {
    recorder.set_features(block, std::vector{1.0, value});
    expect_error(recorder, "invalid value " + std::string(text) + of_block);
  }
  recorder.set_features(block, std::vector{1.0});
  expect_error(recorder, "1 features for object 5 of home rank 0 (ID");
  recorder.set_features({}, std::vector{1.0, 2.0});
  expect_error(recorder, "set_features(): object is not (or no longer) registered");
  recorder.set_pack(block, -1);
  expect_error(recorder, "invalid pack -1 for object 5");
  recorder.add_pack_time(0, std::nan(""));
  expect_error(recorder, "invalid time nan s of pack 0");
  recorder.close();
}

TEST_F(InferringLoads, RejectsFeaturesBeforeTheirNames) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  recorder.set_features(recorder.rank_object(), std::vector{1.0});
  expect_error(recorder, "set_features() for the rank object before infer_loads()");
  recorder.add_pack_time(0, 1);
  expect_error(recorder, "add_pack_time() for pack 0 before infer_loads()");
  EXPECT_ERROR(recorder.infer_loads({}), usage, "invalid number of features 0");
  EXPECT_ERROR(recorder.infer_loads({"cells", "cells"}), usage, "duplicate feature \"cells\"");
  recorder.close();
}

TEST_F(InferringLoads, RejectsDifferentFeaturesOnRanks) {
  if (count == 1) GTEST_SKIP() << "needs two ranks or more";
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  EXPECT_ERROR(recorder.infer_loads({rank == 1 ? "cell" : "cells"}), usage,
               "infer_loads() has features cell here, but cells on rank 0");
  recorder.next_phase();  // measures as before
  recorder.close();
}

TEST_F(InferringLoads, NoticesARankThatDoesNotInfer) {
  if (count == 1) GTEST_SKIP() << "needs two ranks or more";
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  if (rank == 0)
    EXPECT_ERROR(recorder.infer_loads({"cells"}), usage, "infer_loads() in phase 0");
  else
    EXPECT_ERROR(recorder.next_phase(), usage, "infer_loads() in phase 0");
}

TEST_F(InferringLoads, KeepsMeasuredLoadsWhileRecordingIsOff) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  recorder.infer_loads({"cells"});
  const ObjectHandle block = recorder.register_object({.index = {0}});
  recorder.set_features(block, std::vector{10.0});
  recorder.set_pack(block, 0);
  recorder.add_pack_time(0, 5);
  recorder.next_phase();
  recorder.instrument(false);
  recorder.next_phase();
  EXPECT_EQ(recorder.node_lb_data().phases().back().tasks.time_s[1], 0);
  EXPECT_NEAR(recorder.inferred_costs().costs.front().cost_s, 0.5, 1e-6);
  recorder.close();
}

/// Program of blocks with two species of particles in a hot spot on rank 0. Its kernel knows only the time of
/// all blocks of a rank.
class SpeciesProgram {
 public:
  static constexpr std::uint64_t n_blocks = 64;

  SpeciesProgram(const Settings& settings, bool measures_blocks)
      : measures_blocks_(measures_blocks), recorder(MPI_COMM_WORLD, settings), balancer(recorder) {
    if (!measures_blocks_) recorder.infer_loads({"electrons", "ions"});
    for (std::uint64_t k = 0; k < n_blocks; ++k) {
      const int start = static_cast<int>(k * static_cast<std::uint64_t>(recorder.rank_count()) / n_blocks);
      if (recorder.rank() != start) continue;
      recorder.register_object({.index = {std::int64_t(k)}, .home = start, .number = k});
      store_.objects[object_id(start, k)] = runtime::content_of(object_id(start, k), k);
    }
    balancer.balance_at_phase_ends(store_.transport());
  }

  /// Returns max/mean of the true loads of the ranks, before the migrations at the end of the phase.
  double step() {
    double rank_s = 0;
    for (const auto& [object, content] : store_.objects) {
      const auto k = static_cast<double>(runtime::object_number(object).value());
      const double electrons = std::floor(400 * std::exp(-k / 12));
      const double ions = std::floor(100 * (1 + std::sin(k)));
      const double load_s = 1e-3 * electrons + 9e-3 * ions;
      const double deviation = 1 + 0.03 * std::sin(100 * k + 7 * static_cast<double>(recorder.phase()));
      const ObjectHandle handle = recorder.find(object);
      rank_s += load_s;
      if (measures_blocks_) {
        recorder.add_time(handle, load_s * deviation);
        continue;
      }
      recorder.set_features(handle, std::vector{electrons, ions});
      recorder.set_pack(handle, 0);
      recorder.add_pack_time(0, load_s * deviation);
    }
    recorder.next_phase();
    double sum_s = 0;
    double max_s = 0;
    MPI_Allreduce(&rank_s, &sum_s, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&rank_s, &max_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return max_s * recorder.rank_count() / sum_s;
  }

 private:
  bool measures_blocks_;
  ObjectStore store_;

 public:
  LoadRecorder recorder;
  runtime::Balancer balancer;
};

TEST_F(InferringLoads, GainsAlmostAsMuchAsWithTimersPerBlock) {
  if (count == 1) GTEST_SKIP() << "needs two ranks or more";
  Settings balancing = settings();
  balancing.lb = true;
  balancing.lb_name = "GreedyLB";
  balancing.lb_when = "always";
  balancing.lb_data = false;
  const auto gain = [&](bool measures_blocks) {
    SpeciesProgram program(balancing, measures_blocks);
    const double start = program.step();
    double last = 0;
    for (int phase = 0; phase < 4; ++phase) last = program.step();
    program.recorder.close();
    return start - last;
  };
  EXPECT_GE(gain(false), 0.85 * gain(true));
}

TEST_F(InferringLoads, MigratesFeatures) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  runtime::Balancer balancer(recorder);
  ObjectStore store;
  recorder.infer_loads({"cells"});
  const ObjectHandle own = recorder.register_object({.index = {rank}, .home = rank, .number = 0});
  store.objects[recorder.id(own)] = runtime::content_of(recorder.id(own), 8);
  recorder.set_features(own, std::vector{10.0 + rank});
  recorder.add_time(own, 1000.0 * (10 + rank));
  balancer.balance_at_phase_ends(store.transport());
  const int next = (rank + 1) % count;
  balancer.request({{.object = recorder.id(own), .from = rank, .to = next}});
  recorder.next_phase();

  const int before = (rank + count - 1) % count;
  const ObjectHandle guest = recorder.find(object_id(before, 0));
  ASSERT_TRUE(guest);
  recorder.add_time(guest, 1000.0 * (10 + before));
  recorder.next_phase();
  EXPECT_NEAR(recorder.node_lb_data().phases().back().tasks.time_s[1], 1000.0 * (10 + before), 100);
  recorder.close();
}

TEST_F(InferringLoads, BalancesWhereItPays) {
  if (count == 1) GTEST_SKIP() << "needs two ranks or more";
  Settings balancing = settings();
  balancing.lb = true;
  balancing.lb_name = "GreedyLB";
  balancing.lb_when = "pays";
  balancing.lb_data = false;
  SpeciesProgram program(balancing, false);
  const double start = program.step();
  double last = 0;
  for (int phase = 0; phase < 12; ++phase) last = program.step();
  EXPECT_LT(last - 1, 0.5 * (start - 1));
  program.recorder.close();
}

}  // namespace
}  // namespace plimsoll::testing
