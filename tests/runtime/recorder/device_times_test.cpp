#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/lbdata/phases.hpp>
#include <plimsoll/runtime/balancer.hpp>

#include "runtime/balancing/object_store.hpp"
#include "runtime/recorder/recorder_test.hpp"

namespace plimsoll::testing {
namespace {

using runtime::Balancer;
using runtime::content_of;
using runtime::object_id;
using runtime::ObjectStore;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A queue of work on a device, whose events finish when the test says so.
class FakeStream {
 public:
  explicit FakeStream(LoadRecorder& recorder) : recorder_(recorder) {}

  void launch(ObjectHandle object, double time_s) { queue_.push_back({object, time_s, recorder_.phase()}); }
  /// Finishes the first `n` kernels, and passes their times to the recorder.
  void finish(std::size_t n) {
    for (std::size_t k = 0; k < n; ++k)
      recorder_.add_device_time(queue_[k].object, queue_[k].time_s, queue_[k].phase);
    queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(n));
  }

 private:
  struct Kernel {
    ObjectHandle object;
    double time_s;
    std::int64_t phase;
  };
  LoadRecorder& recorder_;
  std::vector<Kernel> queue_;
};

class DeviceTimesTest : public RecorderRun {
 protected:
  /// Returns the attribute of each task of a phase; "" if it has none.
  static std::vector<std::string> attributes(const lbdata::Dataset& dataset, int rank, std::size_t phase) {
    const lbdata::PhaseRecord& record = dataset.ranks[static_cast<std::size_t>(rank)].phases[phase];
    std::vector<std::string> texts;
    for (std::uint32_t task = 0; task < record.tasks.size(); ++task)
      texts.emplace_back(record.tasks.attributes.at(task));
    return texts;
  }
};

TEST_F(DeviceTimesTest, AreWrittenNextToTheLoad) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  const ObjectHandle first = recorder.register_object();
  const ObjectHandle second = recorder.register_object();
  recorder.add_time(first, 2);
  FakeStream stream(recorder);
  for (const double time_s : {0.5, 0.25}) stream.launch(first, time_s);
  stream.launch(second, 4);
  stream.finish(3);
  EXPECT_EQ(recorder.next_phase().late_device_s, 0);
  recorder.close();
  const lbdata::Dataset dataset = read();
  const std::vector<std::string> texts = attributes(dataset, rank, 0);
  EXPECT_EQ(texts[1], R"({"device_time":0.75})");
  EXPECT_EQ(texts[2], R"({"device_time":4.0})");
  EXPECT_EQ(dataset.ranks[static_cast<std::size_t>(rank)].phases[0].tasks.time_s[1], 2);
  EXPECT_EQ(dataset.ranks[static_cast<std::size_t>(rank)].phases[0].tasks.time_s[2], 0);
}

TEST_F(DeviceTimesTest, BelongToThePhaseInWhichTheWorkBegan) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  const ObjectHandle object = recorder.register_object();
  FakeStream stream(recorder);
  stream.launch(object, 1);
  stream.launch(object, 2);
  stream.finish(1);
  EXPECT_EQ(recorder.next_phase().late_device_s, 0);
  stream.launch(object, 4);
  stream.finish(2);  // one of them is late
  EXPECT_EQ(recorder.next_phase().late_device_s, 2 * count);
  EXPECT_EQ(recorder.next_phase().late_device_s, 0);
  recorder.close();
  const lbdata::Dataset dataset = read();
  EXPECT_EQ(attributes(dataset, rank, 0)[1], R"({"device_time":1.0})");
  EXPECT_EQ(attributes(dataset, rank, 1)[1], R"({"device_time":4.0})");
  EXPECT_EQ(attributes(dataset, rank, 2)[1], "");
  EXPECT_EQ(dataset.ranks[static_cast<std::size_t>(rank)].phases[1].user_defined,
            R"({"late_device_time":2.0})");
}

TEST_F(DeviceTimesTest, AreReportedOnceIfTheyAreLate) {
  Settings its = settings();
  its.lb_quiet = false;
  std::vector<std::string> lines;
  its.sink = [&](std::string_view line) { lines.emplace_back(line); };
  LoadRecorder recorder(MPI_COMM_WORLD, its);
  const ObjectHandle object = recorder.register_object();
  for (int phase = 0; phase < 3; ++phase) {
    if (phase > 0) recorder.add_device_time(object, 0.5, phase - 1);
    recorder.next_phase();
  }
  recorder.close();
  const auto tells = [](const std::string& line) {
    return line.find("were added after the end of their phase") != std::string::npos;
  };
  EXPECT_EQ(std::ranges::count_if(lines, tells), rank == 0 ? 1 : 0);
}

TEST_F(DeviceTimesTest, AreTheLoadIfTheSettingsSaySo) {
  Settings its = settings();
  its.lb_loads = LoadTime::device;
  LoadRecorder recorder(MPI_COMM_WORLD, its);
  const ObjectHandle object = recorder.register_object();
  const ObjectHandle other = recorder.register_object();
  recorder.begin(other);
  recorder.end(other);
  recorder.add_device_time(object, 3, 0);
  recorder.add_device_time(other, 5, 0);
  EXPECT_EQ(recorder.next_phase().rank_load_s.maximum(), 8);
  // All times of this phase are late.
  recorder.next_phase();
  recorder.add_device_time(object, 7, 1);
  const PhaseSummary late = recorder.next_phase();
  EXPECT_EQ(late.rank_load_modeled_s.maximum(), 7) << "the late times are the best guess";
  EXPECT_EQ(late.rank_load_s.maximum(), 0) << "but only a guess";
  EXPECT_EQ(recorder.next_phase().rank_load_modeled_s.maximum(), 0);
  recorder.close();
  const lbdata::Dataset dataset = read();
  EXPECT_THAT(dataset.ranks[static_cast<std::size_t>(rank)].phases[2].tasks.time_s, Each(0));
  EXPECT_THAT(attributes(dataset, rank, 0)[2], HasSubstr(R"("device_time":5.0,"wall_time":)"));
}

TEST_F(DeviceTimesTest, ReportsInvalidTimes) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  const ObjectHandle object = recorder.register_object();
  recorder.add_device_time(object, 1, 1);
  EXPECT_ERROR(recorder.next_phase(), usage,
               "invalid phase 1 for add_device_time(): must be between 0 and 0");
  recorder.add_device_time(object, -1, 1);
  EXPECT_ERROR(recorder.next_phase(), usage, "invalid time -1 s for add_device_time()");
  recorder.remove_object(object);
  recorder.add_device_time(object, 1, 2);
  EXPECT_ERROR(recorder.next_phase(), usage, "add_device_time()");
  recorder.add_device_time(object, 1, 2);  // late, for an object that may have migrated
  EXPECT_EQ(recorder.next_phase().late_device_s, count);
  recorder.close();
}

/// Program whose objects have the same time on the processor, and those on rank 0 a long time on the device.
class DeviceProgram {
 public:
  static constexpr std::uint64_t per_rank = 8;

  explicit DeviceProgram(const Settings& settings)
      : recorder(MPI_COMM_WORLD, settings), balancer(recorder), stream(recorder) {
    for (std::uint64_t k = 0; k < per_rank; ++k) {
      const ObjectHandle object = recorder.register_object({.number = k});
      store.objects[recorder.id(object)] = content_of(recorder.id(object), 10);
    }
    balancer.balance_at_phase_ends(store.transport());
  }

  static double device_s(ObjectId id) {
    return lbdata::decode_identifier(static_cast<std::uint64_t>(id))->home == 0 ? 9 : 1;
  }

  /// Ends a phase in which `n_late` kernels do not finish.
  PhaseSummary step(bool are_late = false) {
    if (are_late) stream.finish(n_launched);  // those of the phase before
    n_launched = 0;
    for (const auto& [id, content] : store.objects) {
      const ObjectHandle object = recorder.find(id);
      recorder.add_time(object, 2);
      stream.launch(object, device_s(id));
      ++n_launched;
    }
    if (!are_late) stream.finish(n_launched);
    return recorder.next_phase();
  }

  double device_load_s() const {
    double sum_s = 0;
    for (const auto& [id, content] : store.objects) sum_s += device_s(id);
    return sum_s;
  }
  /// Returns the maximum device load of a rank, plus `added_s` per object.
  double max_load_s(double added_s) const {
    const auto n_objects = static_cast<double>(store.objects.size());
    return mpi::Communicator(MPI_COMM_WORLD).max(device_load_s() + added_s * n_objects);
  }
  double max_device_load_s() const { return max_load_s(0); }
  std::size_t max_objects() const {
    return static_cast<std::size_t>(
        mpi::Communicator(MPI_COMM_WORLD).max(static_cast<double>(store.objects.size())));
  }

  LoadRecorder recorder;
  Balancer balancer;
  ObjectStore store;
  FakeStream stream;
  std::size_t n_launched = 0;
};

class BalancedDevices : public RecorderRun {
 protected:
  Settings balanced(const std::string& strategy) const {
    Settings its = settings();
    its.lb = true;
    its.lb_name = strategy;
    return its;
  }
  /// Device load per rank if all are equal.
  double even_s() const { return 8.0 * (9 + 1 * (count - 1)) / count; }
};

// Both resources of a rank count: the rule sees that the processors are even, and the devices are not.
TEST_F(BalancedDevices, AreASecondResource) {
  if (count == 1) GTEST_SKIP() << "needs two ranks";
  DeviceProgram program(balanced("RefineLB"));
  std::int64_t migrations = 0;
  for (int phase = 0; phase < 8; ++phase) migrations += program.step().balancing.migrations;
  EXPECT_GT(migrations, 0);
  EXPECT_LE(program.max_device_load_s(), even_s() + 9);
  EXPECT_LE(program.max_objects(), DeviceProgram::per_rank * 2) << "the processors matter, too";
  const MigrationPlan plan = program.balancer.plan("GreedyLB");
  EXPECT_GE(plan.max_time_before_s, program.max_device_load_s());
  program.recorder.close();
}

TEST_F(BalancedDevices, ReplaceTheLoadsOfStrategiesWithOneLoad) {
  if (count == 1) GTEST_SKIP() << "needs two ranks";
  Settings its = balanced("HierarchicalLB");
  its.lb_loads = LoadTime::device;
  DeviceProgram program(its);
  for (int phase = 0; phase < 8; ++phase) program.step();
  EXPECT_LE(program.max_device_load_s(), even_s() + 9);
  program.recorder.close();
}

TEST_F(BalancedDevices, AreBalancedIfAllTimesAreOnePhaseLate) {
  if (count == 1) GTEST_SKIP() << "needs two ranks";
  DeviceProgram program(balanced("RefineLB"));
  for (int phase = 0; phase < 20; ++phase) program.step(true);
  EXPECT_LE(program.max_device_load_s(), even_s() + 9);
  program.recorder.close();
}

// The late time of an object that has migrated arrives on the rank that it has left.
TEST_F(BalancedDevices, KeepLateTimesOfObjectsThatMigrate) {
  if (count == 1) GTEST_SKIP() << "needs two ranks";
  for (const LoadTime loads : {LoadTime::automatic, LoadTime::device}) {
    Settings its = balanced("RefineLB");
    its.lb_when = "always";
    its.lb_loads = loads;
    its.lb_data_dir += loads == LoadTime::device ? "_device" : "_both";
    DeviceProgram program(its);
    program.step(true);
    EXPECT_GT(program.step(true).balancing.migrations, 0);
    std::set<ObjectId> have_left;
    for (int phase = 2; phase < 8; ++phase) {
      for (std::uint64_t k = 0; k < DeviceProgram::per_rank; ++k)
        if (const ObjectId id = object_id(rank, k); !program.store.objects.contains(id)) have_left.insert(id);
      for (const ObjectId id : have_left) EXPECT_FALSE(program.store.objects.contains(id)) << "came back";
      const double load_s = program.max_load_s(loads == LoadTime::device ? 2 : 0);
      const PhaseSummary summary = program.step(true);
      if (loads == LoadTime::device) {
        EXPECT_DOUBLE_EQ(summary.rank_load_modeled_s.maximum(), load_s) << phase;
      }
    }
    program.recorder.close();
  }
}

TEST_F(BalancedDevices, AreReportedAsIgnored) {
  if (count == 1) GTEST_SKIP() << "needs two ranks";
  DeviceProgram program(balanced("RefineLB"));
  program.step();
  program.step();
  EXPECT_THAT(program.balancer.plan("HierarchicalLB").remark, HasSubstr("ignores device times"));
  program.recorder.close();
}

}  // namespace
}  // namespace plimsoll::testing
