// Programs that continue from a checkpoint: phases, loads and values of the earlier run.
#include <gmock/gmock.h>

#include <plimsoll/runtime/balancer.hpp>
#include <plimsoll/runtime/recorder_state.hpp>

#include "runtime/recorder/recorder_test.hpp"

namespace plimsoll::testing {
namespace {

using runtime::Balancer;
using runtime::RecorderState;

constexpr std::int64_t n_phases = 4;

class SavedState : public RecorderRun {
 protected:
  Settings in_memory() const {
    Settings result = settings();
    result.lb_data = false;
    result.lb_history = 3;
    result.lb_load_model = "LinearModel(length=3)";
    return result;
  }
  /// Returns the state of an object whose load rises by a second per phase, from `first_s`.
  std::vector<std::byte> saved(double first_s) const {
    LoadRecorder recorder(MPI_COMM_WORLD, in_memory());
    const ObjectHandle object = recorder.register_object({.index = {rank}});
    recorder.set_value(object, UserValueKind::user_defined, "cells", std::int64_t{64});
    recorder.set_value(object, UserValueKind::attributes, "weight", 1.5);
    recorder.set_position(object, std::vector<double>{0.25, 0.75});
    for (std::int64_t phase = 0; phase < n_phases; ++phase) {
      recorder.add_time(object, first_s + static_cast<double>(phase));
      recorder.next_phase();
    }
    return RecorderState(recorder).packed(object);
  }
};

TEST_F(SavedState, ContinuesPhasesAndLoadsUnderAnotherId) {
  const std::vector<std::byte> bytes = saved(1);
  Settings settings = in_memory();
  settings.lb_data = true;
  LoadRecorder recorder(MPI_COMM_WORLD, settings);
  RecorderState state(recorder);
  state.resume(n_phases);
  EXPECT_EQ(recorder.phase(), n_phases);
  const ObjectHandle object = recorder.register_object({.index = {7}, .number = std::uint64_t(rank + 40)});
  state.restore(object, bytes);
  recorder.add_time(object, 1 + n_phases);
  const PhaseSummary summary = recorder.next_phase();
  EXPECT_EQ(summary.phase, n_phases);
  EXPECT_NEAR(summary.object_load_modeled_s.maximum(), 2 + n_phases, 1e-9) << "from loads of three phases";
  const ObjectId id = recorder.id(object);
  recorder.close();

  const lbdata::Dataset dataset = read();
  const auto& phases = dataset.ranks[static_cast<std::size_t>(rank)].phases;
  ASSERT_EQ(phases.size(), 1);
  EXPECT_EQ(phases[0].id, n_phases);
  const std::optional<std::uint32_t> task = task_of(dataset, phases[0], id);
  ASSERT_TRUE(task);
  EXPECT_EQ(phases[0].tasks.user_defined.at(*task), R"({"cells":64,"position":[0.25,0.75]})");
  EXPECT_EQ(phases[0].tasks.attributes.at(*task), R"({"weight":1.5})");
}

TEST_F(SavedState, ContainsFeatures) {
  std::vector<std::byte> bytes;
  {
    LoadRecorder recorder(MPI_COMM_WORLD, in_memory());
    recorder.infer_loads({"cells", "particles"});
    const ObjectHandle object = recorder.register_object();
    recorder.set_features(object, std::vector{16.0, 3.0});
    bytes = RecorderState(recorder).packed(object);
  }
  const auto restored = [&](const std::string& name, const std::vector<std::string>& features) {
    LoadRecorder recorder(MPI_COMM_WORLD, settings(name));
    if (!features.empty()) recorder.infer_loads(features);
    RecorderState(recorder).restore(recorder.register_object(), bytes);
    recorder.next_phase();
    recorder.close();
    const lbdata::Dataset dataset = read(name);
    return std::string(dataset.ranks[static_cast<std::size_t>(rank)].phases[0].tasks.user_defined.at(1));
  };
  EXPECT_EQ(restored("same", {"cells", "particles"}), R"({"cells":16.0,"particles":3.0})");
  EXPECT_EQ(restored("others", {"cells"}), "");
  EXPECT_EQ(restored("none", {}), "");
}

TEST_F(SavedState, LetsStrategiesPlaceObjectsBeforeAPhaseEnds) {
  const std::vector<std::byte> bytes = saved(1);
  LoadRecorder recorder(MPI_COMM_WORLD, in_memory());
  Balancer balancer(recorder);
  EXPECT_ERROR(balancer.plan_after_restart(), usage,
               "the loads are unknown before the first phase has ended");
  RecorderState state(recorder);
  state.resume(n_phases);
  if (rank == 0)  // all objects are on rank 0
    for (std::uint64_t k = 0; k < static_cast<std::uint64_t>(count); ++k)
      state.restore(recorder.register_object({.number = k}), bytes);
  const runtime::MigrationPlan plan = balancer.plan_after_restart();
  EXPECT_EQ(plan.moves, count - 1);
  EXPECT_EQ(plan.imports.size(), rank == 0 ? 0 : 1);
  EXPECT_EQ(plan.strategy, "GreedyLB");
}

TEST_F(SavedState, RejectsWrongCalls) {
  LoadRecorder recorder(MPI_COMM_WORLD, in_memory());
  RecorderState state(recorder);
  EXPECT_ERROR(state.packed({}), usage, "the object is not registered");
  EXPECT_ERROR(state.restore({}, {}), usage, "the object is not registered");
  EXPECT_ERROR(state.restore(recorder.register_object(), std::vector<std::byte>(7)), bad_input, "too short");
  recorder.next_phase();
  EXPECT_ERROR(state.resume(3), usage, "phase 3 cannot be resumed: phase 0 has ended already");
}

}  // namespace
}  // namespace plimsoll::testing
