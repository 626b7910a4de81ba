// Objects that a program with collections registers itself.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <map>
#include <set>

#include <plimsoll/objects.hpp>

#include "runtime/recorder/recorder_test.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {
namespace {

constexpr double load_of_element_s = 2;
constexpr double load_of_object_s = 5;

/// Element whose load is not measured.
struct Modelled : Element<Modelled> {
  double user_set_lb_load() override { return load_of_element_s; }

  template <class Archive>
  void serialize(Archive&) {}
};

struct OwnObjects : plimsoll::testing::RecorderRun {
  CollectionOptions<1> options() const { return {.bounds = {{std::int64_t{4} * count}}, .measured = false}; }
  /// Returns the loads of the elements and objects of this rank in the last phase, by ID.
  std::map<ObjectId, double> loads_s() const {
    const runtime::NodeLBData& data = recorder.node_lb_data();
    const lbdata::Tasks& tasks = data.phases().back().tasks;
    std::map<ObjectId, double> loads;
    for (std::uint32_t task = 0; task < tasks.size(); ++task)
      loads[ObjectId{data.entities().number(tasks.entity[task]).bits}] = tasks.time_s[task];
    return loads;
  }
  static double load_of_object(ObjectHandle) { return load_of_object_s; }

  LoadRecorder recorder{MPI_COMM_WORLD, settings()};
};

TEST_F(OwnObjects, HaveOtherNumbersThanElements) {
  const ObjectId before = recorder.id(recorder.register_object());
  ObjectSystem system(recorder);
  Collection<Modelled> elements(system, options());
  std::set<ObjectId> ids{before};
  for (std::uint64_t number = 1; number < 100; ++number)
    ids.insert(recorder.id(recorder.register_object({.number = number})));
  EXPECT_EQ(ids.size(), 100);
  elements.for_each_local([&](const Modelled& element) { ids.insert(element.id()); });
  EXPECT_EQ(ids.size(), 100 + elements.local_count());
  EXPECT_FALSE(ids.contains(ObjectId::none));
  system.next_phase();
  EXPECT_EQ(loads_s().size(), ids.size() + 1) << "and the rank";
  recorder.close();
  read();
}

TEST_F(OwnObjects, AreRejectedWithNumbersOfElements) {
  const std::uint64_t first_of_elements = std::uint64_t{1} << 36;
  ObjectSystem system(recorder);
  recorder.register_object({.number = first_of_elements + static_cast<std::uint64_t>(rank)});
  EXPECT_ERROR(Collection<Modelled>(system, {.bounds = {{count}}}), usage,
               "the program has registered an object with the number of an element, 68719476736");
}

TEST_F(OwnObjects, HaveLoadsOfTheFunctionOfTheProgram) {
  const auto expect_loads = [&](ObjectSystem& system, const Collection<Modelled>& elements,
                                ObjectHandle object) {
    system.next_phase();
    const std::map<ObjectId, double> loads = loads_s();
    EXPECT_EQ(loads.at(recorder.id(object)), load_of_object_s);
    std::size_t n_elements = 0;
    for (const auto& [id, load_s] : loads) n_elements += load_s == load_of_element_s ? 1 : 0;
    EXPECT_EQ(n_elements, elements.local_count());
  };
  const ObjectHandle object = recorder.register_object({.migratable = false, .measured = false});
  {
    recorder.user_set_lb_load(&load_of_object);
    ObjectSystem system(recorder);
    const Collection<Modelled> elements(system, options());
    expect_loads(system, elements, object);
    recorder.user_set_lb_load(nullptr);
    recorder.user_set_lb_load(&load_of_object);
    expect_loads(system, elements, object);
  }
  recorder.next_phase();
  EXPECT_EQ(loads_s(), (std::map{std::pair(recorder.id(object), load_of_object_s),
                                 std::pair(recorder.id(recorder.rank_object()),
                                           loads_s().at(recorder.id(recorder.rank_object())))}))
      << "the system has ended";
}

TEST_F(OwnObjects, MustNotBeMigratable) {
  if (count == 1) GTEST_SKIP() << "no rank to migrate to";
  ObjectSystem system(recorder);
  system.balancer().set_strategy("RotateLB");
  const ObjectHandle object = recorder.register_object({.number = 7});
  recorder.set_obj_time(object, 1);
  EXPECT_ERROR(system.next_phase(), usage, "object 7 of the program cannot migrate");
}

}  // namespace
}  // namespace plimsoll::objects
