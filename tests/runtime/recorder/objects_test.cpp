// Tests objects and their values, with any number of ranks.
#include <fstream>

#include "runtime/recorder/recorder_test.hpp"

namespace plimsoll::testing {
namespace {

using runtime::object_id;

class ObjectRecording : public RecorderRun {
 protected:
  const lbdata::PhaseRecord& mine(const lbdata::Dataset& dataset, std::int64_t phase) const {
    return *dataset.ranks[static_cast<std::size_t>(rank)].find(phase);
  }
};

TEST_F(ObjectRecording, WritesDescriptionToFile) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  const std::uint64_t collections[] = {lbdata::first_collection_id, recorder.add_collection(),
                                       recorder.add_collection()};
  EXPECT_EQ(std::set(std::begin(collections), std::end(collections)).size(), 3U);
  const std::vector<std::vector<std::int64_t>> indices = {
      {}, {rank}, {1, rank}, {0, 0, 7}, {1, 2, 3, 1LL << 40}};
  struct Expected {
    ObjectId id;
    std::uint64_t collection;
    std::vector<std::int64_t> index;
    bool migratable;
  };
  std::vector<Expected> expected;
  for (const std::uint64_t collection : collections) {
    for (const auto& index : indices) {
      for (const bool migratable : {true, false}) {
        const ObjectHandle object =
            recorder.register_object({.collection = collection, .index = index, .migratable = migratable});
        ASSERT_TRUE(object);
        EXPECT_EQ(recorder.find(recorder.id(object)), object);
        expected.push_back({recorder.id(object), collection, index, migratable});
      }
    }
  }
  recorder.next_phase();
  recorder.close();

  const lbdata::Dataset dataset = read();
  const lbdata::PhaseRecord& phase = mine(dataset, 0);
  EXPECT_EQ(phase.tasks.size(), expected.size() + 1) << "the objects and the rank object";
  for (const Expected& wanted : expected) {
    const auto task = task_of(dataset, phase, wanted.id);
    ASSERT_TRUE(task);
    const lbdata::EntityIndex entity = phase.tasks.entity[*task];
    const lbdata::EntityFamily& family = dataset.entities.family(entity);
    EXPECT_EQ(family.collection_id.bits, wanted.collection);
    EXPECT_EQ(family.migratable, wanted.migratable);
    EXPECT_EQ(dataset.entities.home(entity), rank);
    EXPECT_EQ(phase.tasks.node[*task], rank);
    const lbdata::IndexTuple index = dataset.entities.index(entity);
    ASSERT_EQ(index.size(), wanted.index.size());
    for (std::size_t k = 0; k < index.size(); ++k) EXPECT_EQ(index[k], wanted.index[k]);
    const auto parts = lbdata::decode_identifier(static_cast<std::uint64_t>(wanted.id));
    ASSERT_TRUE(parts);
    EXPECT_EQ(parts->home, static_cast<std::uint32_t>(rank));
    EXPECT_EQ(parts->kind, wanted.migratable ? lbdata::IdentifierKind::migratable_element
                                             : lbdata::IdentifierKind::fixed_element);
  }
  const auto rank_task = task_of(dataset, phase, ObjectId{1 + 4 * static_cast<std::uint64_t>(rank)});
  ASSERT_TRUE(rank_task) << "vt's bare handler represents the rank object";
  EXPECT_FALSE(dataset.entities.migratable(phase.tasks.entity[*rank_task]));
  for (const char* name : {"total_time", "background_time", "idle_time"}) {
    EXPECT_NE(phase.tasks.attributes.at(*rank_task).find(name), std::string::npos);
  }
}

TEST_F(ObjectRecording, WritesGroupsWithOneProxyAndOneMemberPerRank) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  const ObjectId ids[] = {recorder.id(recorder.register_object_group()),
                          recorder.id(recorder.register_object_group())};
  recorder.next_phase();
  recorder.close();
  const lbdata::Dataset dataset = read();
  std::set<std::uint64_t> all;
  for (const lbdata::RankData& data : dataset.ranks) {
    std::set<std::uint64_t> proxies;
    for (const lbdata::EntityIndex entity : data.phases[0].tasks.entity) {
      if (!dataset.entities.family(entity).has_objgroup_id) continue;
      proxies.insert(dataset.entities.family(entity).objgroup_id.bits);
      EXPECT_FALSE(dataset.entities.migratable(entity));
      EXPECT_TRUE(all.insert(dataset.entities.number(entity).bits).second);
    }
    // IDs of groups 1 and 2 (docs/reference/lb-data-files.md): group << 18, with the bits of a collective
    // object group.
    EXPECT_EQ(proxies, (std::set<std::uint64_t>{(1 << 18) + 3, (2 << 18) + 3}));
  }
  EXPECT_NE(ids[0], ids[1]);
  EXPECT_TRUE(all.contains(static_cast<std::uint64_t>(ids[0])));
}

TEST_F(ObjectRecording, KeepsIdAndHomeOnMigration) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  constexpr std::uint64_t objects_of_rank = 3;
  for (std::uint64_t number = 0; number < objects_of_rank; ++number) {
    recorder.register_object({.index = {rank, static_cast<std::int64_t>(number)}, .number = number});
  }
  constexpr int phases = 5;
  for (int phase = 0; phase < phases; ++phase) {
    // In phase p, the objects of rank r are on rank r + p.
    for (std::uint64_t number = 0; number < objects_of_rank; ++number) {
      const int home = (rank - phase % count + count) % count;
      if (phase > 0) {
        const int leaving = (home + 1) % count;
        recorder.remove_object(recorder.find(object_id(leaving, number)));
        const auto its_number = static_cast<std::int64_t>(number);
        EXPECT_TRUE(recorder.register_object(object_id(home, number), {.index = {home, its_number}}));
      }
      recorder.add_time(recorder.find(object_id(home, number)), 1.0 + phase);
      // The target is now on the next rank, and was on this rank in the previous phase.
      recorder.record_message(object_id(home, number), object_id((home + 1) % count, number), 10);
    }
    recorder.next_phase();
  }
  recorder.close();
  const lbdata::Dataset dataset = read();
  for (int phase = 0; phase < phases; ++phase) {
    const lbdata::PhaseRecord& record = mine(dataset, phase);
    EXPECT_EQ(record.tasks.size(), objects_of_rank + 1);
    const int home = (rank - phase % count + count) % count;
    for (std::uint64_t number = 0; number < objects_of_rank; ++number) {
      const auto task = task_of(dataset, record, object_id(home, number));
      ASSERT_TRUE(task) << "phase " << phase;
      const lbdata::EntityIndex entity = record.tasks.entity[*task];
      EXPECT_EQ(dataset.entities.home(entity), home);
      EXPECT_EQ(dataset.entities.index(entity)[0], home);
      EXPECT_EQ(record.tasks.node[*task], rank);
      EXPECT_EQ(record.tasks.time_s[*task], 1.0 + phase);
    }
  }
}

TEST_F(ObjectRecording, KeepsMeasurementsOfRemovedObjects) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  const ObjectHandle worked = recorder.register_object({.number = 1});
  const ObjectHandle sent = recorder.register_object({.number = 2});
  const ObjectHandle did_nothing = recorder.register_object({.number = 3});
  ObjectHandle returns = recorder.register_object({.number = 4});
  recorder.add_time(worked, 2.0);
  recorder.add_time(returns, 1.0);
  recorder.add_time(sent, 1.0);
  recorder.record_message(recorder.id(sent), recorder.id(returns), 5);
  for (const ObjectHandle object : {worked, sent, did_nothing, returns}) recorder.remove_object(object);
  const ObjectHandle later = recorder.register_object({.number = 5});
  returns = recorder.register_object({.number = 4});
  recorder.add_time(returns, 0.5);
  EXPECT_EQ(recorder.get_obj_time(returns), 1.5);
  EXPECT_EQ(recorder.get_obj_time(later), 0);
  recorder.next_phase();
  recorder.next_phase();
  recorder.close();
  const lbdata::Dataset dataset = read();
  const auto bits = [&](std::uint64_t number) { return static_cast<std::uint64_t>(object_id(rank, number)); };
  const std::uint64_t handler = 1 + 4 * static_cast<std::uint64_t>(rank);
  EXPECT_EQ(ids_of(dataset, mine(dataset, 0)), (std::set{bits(1), bits(2), bits(4), bits(5), handler}));
  EXPECT_EQ(ids_of(dataset, mine(dataset, 1)), (std::set{bits(4), bits(5), handler}));
  EXPECT_EQ(mine(dataset, 0).tasks.time_s[*task_of(dataset, mine(dataset, 0), object_id(rank, 4))], 1.5);
}

TEST_F(ObjectRecording, WritesIntegersOfAnyType) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  const ObjectHandle object = recorder.register_object();
  const auto set = [&](auto... values) {
    int number = 0;
    (recorder.set_value(object, UserValueKind::user_defined, std::to_string(number++), values), ...);
  };
  set(true, 'A', std::uint8_t{2}, short{3}, std::uint16_t{4}, 5, 6U, 7L, 8UL, 9LL);
  recorder.set_value(object, UserValueKind::attributes, "largest", (std::size_t{1} << 63) - 1);
  recorder.set_rank_value("cores", std::size_t{64});
  recorder.set_phase_value("cells", std::size_t{1000});
  recorder.next_phase();
  recorder.close();

  const lbdata::Dataset dataset = read();
  const lbdata::PhaseRecord& phase = mine(dataset, 0);
  const std::uint32_t task = *task_of(dataset, phase, recorder.id(object));
  EXPECT_EQ(phase.tasks.user_defined.at(task),
            R"({"0":1,"1":65,"2":2,"3":3,"4":4,"5":5,"6":6,"7":7,"8":8,"9":9})");
  EXPECT_EQ(phase.tasks.attributes.at(task), R"({"largest":9223372036854775807})");
  EXPECT_EQ(phase.user_defined, R"({"cells":1000})");
  EXPECT_EQ(dataset.ranks[static_cast<std::size_t>(rank)].metadata.attributes, R"({"cores":64})");
}

TEST_F(ObjectRecording, WritesCustomValues) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  const ObjectHandle object = recorder.register_object();
  const ObjectHandle refused = recorder.register_object();
  recorder.set_rank_value("site", "north");
  recorder.set_value(object, UserValueKind::user_defined, "level", std::int64_t{3});
  recorder.set_value(object, UserValueKind::attributes, "weight", 0.5);
  recorder.set_value(object, UserValueKind::attributes, "name", "a \"block\"");
  recorder.set_value(recorder.rank_object(), UserValueKind::attributes, "of_rank", 1.0);
  recorder.set_phase_value("time", 1.5);
  recorder.next_phase();
  recorder.set_value(object, UserValueKind::user_defined, "level", std::int64_t{4});
  recorder.remove_value(object, UserValueKind::attributes, "weight");
  recorder.remove_value(object, UserValueKind::attributes, "name");
  recorder.set_value(refused, UserValueKind::user_defined, "x", std::nan(""));
  EXPECT_TRUE(error_of_next_phase(recorder));
  const ObjectId id = recorder.id(object);
  const ObjectId refused_id = recorder.id(refused);
  recorder.remove_object(object);
  recorder.next_phase();
  const ObjectHandle other = recorder.register_object();  // gets the same slot
  const ObjectId other_id = recorder.id(other);
  recorder.next_phase();
  recorder.close();

  const lbdata::Dataset dataset = read();
  EXPECT_EQ(dataset.ranks[static_cast<std::size_t>(rank)].metadata.attributes, R"({"site":"north"})");
  const lbdata::PhaseRecord& first = mine(dataset, 0);
  EXPECT_EQ(first.user_defined, R"({"time":1.5})");
  EXPECT_EQ(first.tasks.user_defined.at(*task_of(dataset, first, id)), R"({"level":3})");
  EXPECT_EQ(first.tasks.attributes.at(*task_of(dataset, first, id)),
            R"({"name":"a \"block\"","weight":0.5})");
  const lbdata::PhaseRecord& second = mine(dataset, 1);
  EXPECT_FALSE(second.user_defined);
  EXPECT_EQ(second.tasks.user_defined.at(*task_of(dataset, second, id)), R"({"level":4})");
  EXPECT_EQ(second.tasks.attributes.at(*task_of(dataset, second, id)), "");
  EXPECT_EQ(second.tasks.user_defined.at(*task_of(dataset, second, refused_id)), "");
  const lbdata::PhaseRecord& last = mine(dataset, 3);
  EXPECT_EQ(last.tasks.user_defined.at(*task_of(dataset, last, other_id)), "");
}

// With sanitisers, freed memory stays allocated.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_sanitised = true;
#else
constexpr bool is_sanitised = false;
#endif

std::size_t resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != "VmRSS:") continue;
    std::size_t size = 0;
    status >> size;
    return size;
  }
  return 0;
}

TEST_F(ObjectRecording, KeepsMemoryConstantAsObjectsAreAddedAndRemoved) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  std::vector<ObjectHandle> objects;
  std::size_t settled_kib = 0;
  const int phases = count == 1 ? 2000 : 250;
  for (int phase = 0; phase < phases; ++phase) {
    for (const ObjectHandle object : objects) recorder.remove_object(object);
    objects.clear();
    for (int k = 0; k < 50; ++k) {
      objects.push_back(recorder.register_object());
      recorder.set_value(objects.back(), UserValueKind::user_defined, "k", std::int64_t{k});
      recorder.add_time(objects.back(), 0.001);
      const int next = (rank + 1) % count;
      recorder.record_message(recorder.id(objects.back()), Endpoint::node(next), 8);
      recorder.record_message(recorder.id(objects[0]), recorder.id(objects.back()), 8);
    }
    recorder.next_phase();
    EXPECT_LT(recorder.node_lb_data().entities().size(), 5000U);
    if (phase == phases / 4) settled_kib = resident_kib();
  }
  if (!is_sanitised) {
    EXPECT_LT(resident_kib(), settled_kib + 2048);
  }
  recorder.close();
  EXPECT_EQ(read().ranks[static_cast<std::size_t>(rank)].phases.size(), static_cast<std::size_t>(phases));
}

TEST_F(ObjectRecording, KeepsValuesOfObjectRegisteredAgainInTheSamePhase) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  const ObjectHandle objects[] = {recorder.register_object({.number = 1}),
                                  recorder.register_object({.number = 2})};
  for (const ObjectHandle object : objects) {
    recorder.set_value(object, UserValueKind::user_defined, "cells", std::int64_t{64});
    recorder.set_position(object, std::vector{0.5});
    recorder.remove_object(object);
  }
  const ObjectHandle same = recorder.register_object({.number = 1});
  const ObjectHandle another = recorder.register_object({.number = 2});
  recorder.remove_all_values(another);
  EXPECT_TRUE(recorder.value(same, UserValueKind::user_defined, "cells"));
  EXPECT_FALSE(recorder.value(another, UserValueKind::user_defined, "cells"));
  recorder.next_phase();
  recorder.close();
  const lbdata::Dataset dataset = read();
  const lbdata::PhaseRecord& phase = mine(dataset, 0);
  EXPECT_EQ(phase.tasks.user_defined.at(task_of(dataset, phase, object_id(rank, 1)).value()),
            R"({"cells":64,"position":[0.5]})");
  EXPECT_EQ(phase.tasks.user_defined.at(task_of(dataset, phase, object_id(rank, 2)).value()), "");
}

}  // namespace
}  // namespace plimsoll::testing
