// Loads of elements: measured, set by the element, or computed by its function.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>

#include <plimsoll/objects.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>

#include "objects/system/element_data.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {
namespace {

/// Element whose load is its position + 1 s, which it tells in one of three ways, or which is measured.
struct Worker : Element<Worker> {
  Worker() { uses_auto_measure(false); }
  void set_load() { set_obj_time(load_s()); }
  void measure(bool is_on) { uses_auto_measure(is_on); }
  void spin() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
    while (std::chrono::steady_clock::now() < end) {
    }
  }
  void go(int rank) { migrate_to(rank); }
  double load_s() const { return static_cast<double>(index()[0] + 1); }

  template <class Archive>
  void serialize(Archive&) {}
};

struct ModelledWorker : Element<ModelledWorker> {
  void spin() { static_cast<void>(this); }
  double user_set_lb_load() override { return 10 * static_cast<double>(index()[0]); }
};

struct ElementLoads : plimsoll::testing::RecordedElements {
  std::map<std::int64_t, double> loads_s() const { return plimsoll::testing::element_loads_s(recorder); }
};

TEST_F(ElementLoads, AreThoseOfSetObjTimeWithoutMeasurement) {
  Collection<Worker> workers(system, {.bounds = {{9}}});
  workers.broadcast<&Worker::spin>();
  workers.for_each_local([](Worker& worker) {
    if (worker.index()[0] % 3 != 0) worker.set_load();
    EXPECT_EQ(worker.get_obj_time(), worker.index()[0] % 3 == 0 ? 0 : worker.load_s());
  });
  system.next_phase();
  for (const auto& [index, load_s] : loads_s())
    EXPECT_EQ(load_s, index % 3 == 0 ? 0 : static_cast<double>(index + 1)) << index;
  system.next_phase();
  for (const auto& [index, load_s] : loads_s()) EXPECT_EQ(load_s, 0) << "a load is that of one phase";
}

/// Member of a group whose load is its rank + 1 s, and which takes part in at_sync().
struct ModelledMember : Element<ModelledMember> {
  int n_resumed = 0;
  ModelledMember() { uses_auto_measure(false); }
  double user_set_lb_load() override { return static_cast<double>(index()[0] + 1); }
  void synchronise() { at_sync(); }
  void resume_from_sync() override { ++n_resumed; }
};

TEST_F(ElementLoads, OfMembersOfGroupsAreThoseOfUserSetLbLoad) {
  ObjGroup<ModelledMember> unused(system, "unused");
  ObjGroup<ModelledMember> group(system, "modelled");
  group.local().synchronise();
  unused.local().synchronise();
  system.run_until_quiet();
  EXPECT_EQ(group.local().n_resumed, 1);
  const lbdata::Tasks& tasks = recorder.node_lb_data().phases().back().tasks;
  EXPECT_EQ(std::ranges::count(tasks.time_s, static_cast<double>(system.rank() + 1)), 2);
}

TEST_F(ElementLoads, AreMeasuredForSomeElementsOnly) {
  Collection<Worker> workers(system, {.bounds = {{9}}});
  workers.for_each_local([](Worker& worker) { worker.measure(worker.index()[0] % 2 == 0); });
  for (int round = 0; round < 2; ++round) {  // the choice migrates
    if (system.rank() == 0) workers.broadcast<&Worker::spin>();
    system.next_phase();
    for (const auto& [index, load_s] : loads_s()) {
      if (index % 2 == 0)
        EXPECT_GE(load_s, 0.0019);
      else
        EXPECT_EQ(load_s, 0);
    }
    workers.for_each_local([&](Worker& worker) { worker.go(next_rank()); });
    system.run_until_quiet();
  }
}

TEST_F(ElementLoads, CanBeReplacedAndReadWhileMeasured) {
  Collection<Worker> workers(system, {.bounds = {{9}}});
  workers.for_each_local([](Worker& worker) { worker.measure(true); });
  if (system.rank() == 0) workers.broadcast<&Worker::spin>();
  system.run_until_quiet();
  workers.for_each_local([](Worker& worker) {
    EXPECT_GE(worker.get_obj_time(), 0.0019);
    worker.set_load();
  });
  if (system.rank() == 0) workers.broadcast<&Worker::spin>();
  system.next_phase();
  for (const auto& [index, load_s] : loads_s()) EXPECT_GE(load_s, static_cast<double>(index + 1) + 0.0019);
}

TEST_F(ElementLoads, AreThoseOfTheUserFunctionWithoutMeasurement) {
  Collection<ModelledWorker> workers(system, {.bounds = {{9}}, .measured = false});
  workers.broadcast<&ModelledWorker::spin>();
  system.next_phase();
  for (const auto& [index, load_s] : loads_s()) EXPECT_EQ(load_s, 10 * static_cast<double>(index));
}

}  // namespace
}  // namespace plimsoll::objects
