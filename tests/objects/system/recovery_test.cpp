// Programs that go on after an error: nothing of it is left, and the next messages and reductions are right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

#include <plimsoll/objects.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {
namespace {

/// Value that cannot be saved, or not even constructed.
struct Brittle {
  static inline bool breaks_when_saved = false;
  static inline bool breaks_when_constructed = false;
  int number = 0;

  Brittle() {
    if (breaks_when_constructed) throw std::runtime_error("it broke");
  }
  explicit Brittle(int its_number) : number(its_number) {}
  template <class Archive>
  void save(Archive& archive) const {
    if (breaks_when_saved) throw std::runtime_error("it broke");
    archive(number);
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(number);
  }
  friend Brittle operator+(const Brittle& left, const Brittle& right) {
    return Brittle(left.number + right.number);
  }
};

/// Text whose second half cannot be saved, when its size is already known.
struct Torn {
  static inline int saves_left = 0;
  int number = 0;

  template <class Archive>
  void save(Archive& archive) const {
    if (--saves_left < 0) throw std::runtime_error("it broke");
    archive(number);
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(number);
  }
};

/// What constructors of elements call, although only the main program may.
enum class Wrong { nothing, run_until_quiet, next_phase, collection };

struct Part : Element<Part> {
  static inline Wrong wrong = Wrong::nothing;
  std::int64_t sum = 0;
  int calls = 0;
  bool destroys_itself = false;

  Part() {
    if (wrong == Wrong::run_until_quiet) system().run_until_quiet();
    if (wrong == Wrong::next_phase) system().next_phase();
    if (wrong == Wrong::collection) const Collection<Part> inner(system(), {.bounds = {{2}}});
  }
  void keep(std::int64_t total) { sum = total; }
  void keep_brittle(Brittle total) { sum = total.number; }
  void keep_torn(Torn) { ++calls; }
  void add() { contribute<&Part::keep, std::plus<>>(index()[0], collection()[{0}]); }
  void add_to_own_rank(const SectionId& section) {
    contribute<&Part::forget, std::plus<>>(1, place(), section);
  }
  void add_brittle(const SectionId& section) {
    contribute<&Part::keep_brittle, std::plus<>>(Brittle(1), collection()[{0}], section);
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(sum, calls, destroys_itself);
    if (destroys_itself) destroy();
  }

  static void forget(ObjectSystem&, int) {}

 private:
  int place() const { return static_cast<int>(index()[0]) % system().rank_count(); }
};

void report(ObjectSystem&, double) {
  throw std::runtime_error("it broke");
}

constexpr std::int64_t n_parts = 12;

class Recovery : public ::testing::Test {
 protected:
  Recovery() { parts.emplace(system, CollectionOptions<1>{.bounds = {{n_parts}}, .map = round_robin_map}); }
  ~Recovery() override {
    Part::wrong = Wrong::nothing;
    Brittle::breaks_when_saved = Brittle::breaks_when_constructed = false;
  }
  int last() const { return system.rank_count() - 1; }
  bool is_first() const { return system.rank() == 0; }

  /// Expects that messages and reductions work.
  void expect_usable() {
    parts->broadcast_collective<&Part::add>();
    system.run_until_quiet();
    if (const Part* const first = parts->find({0})) {
      EXPECT_EQ(first->sum, n_parts * (n_parts - 1) / 2);
    }
    system.next_phase();
  }

  LoadRecorder recorder{MPI_COMM_WORLD, {.lb_quiet = true}};
  ObjectSystem system{recorder};
  std::optional<Collection<Part>> parts;
};

TEST_F(Recovery, FollowsCollectiveCallsOfConstructors) {
  for (const Wrong wrong : {Wrong::run_until_quiet, Wrong::next_phase, Wrong::collection}) {
    Part::wrong = wrong;
    EXPECT_ERROR(Collection<Part>(system, {.bounds = {{n_parts}}}), usage, "is called by an element");
    Part::wrong = Wrong::nothing;
    expect_usable();
  }
}

TEST_F(Recovery, FollowsCollectiveCallsOfTheConstructorOfOneElement) {
  Collection<Part> others(system, {.bounds = {{2}}, .is_dense = false});
  Part::wrong = Wrong::run_until_quiet;
  if (is_first()) others.insert({1});
  EXPECT_ERROR(system.run_until_quiet(), usage, "element (1) of \"elements\": run_until_quiet()");
  Part::wrong = Wrong::nothing;
  expect_usable();
}

TEST_F(Recovery, FollowsReductionsOfDestroyedCollections) {
  for (const bool is_section : {false, true}) {
    std::optional<Collection<Part>> others;
    others.emplace(system, CollectionOptions<1>{.bounds = {{n_parts}}});
    const SectionId section = others->section({0}, {4}).id();
    others->for_each_local([&](Part& part) {
      const std::int64_t place = part.index()[0];
      if (is_section && place > 0 && place < 4) part.add_brittle(section);
      if (!is_section && place != 4) part.add();
    });
    others.reset();
    EXPECT_ERROR(system.run_until_quiet(), usage, "a destroyed collection");
    expect_usable();
  }
}

TEST_F(Recovery, FollowsContributionsThatCannotBeSent) {
  if (system.rank_count() == 1) GTEST_SKIP() << "needs two ranks";
  const auto section = parts->section({0}, {n_parts});
  if (is_first()) section.broadcast<&Part::add_brittle>(section.id());
  Brittle::breaks_when_saved = true;
  EXPECT_ERROR(system.run_until_quiet(), system, "reduction over a section of \"elements\": it broke");
  Brittle::breaks_when_saved = false;
  expect_usable();
}

TEST_F(Recovery, FollowsValuesThatCannotBeConstructed) {
  const auto section = parts->section({0}, {n_parts});
  if (is_first()) section.broadcast<&Part::add_brittle>(section.id());
  Brittle::breaks_when_constructed = true;
  EXPECT_ERROR(system.run_until_quiet(), system, "it broke");
  Brittle::breaks_when_constructed = false;
  expect_usable();
}

TEST_F(Recovery, FollowsContributionsToDifferentRanks) {
  if (system.rank_count() == 1) GTEST_SKIP() << "needs two ranks";
  const auto section = parts->section({0}, {n_parts});
  if (is_first()) section.broadcast<&Part::add_to_own_rank>(section.id());
  EXPECT_ERROR(system.run_until_quiet(), usage,
               "the members of a section of \"elements\" contribute to different receivers");
  expect_usable();
}

TEST_F(Recovery, FollowsArgumentsThatCannotBePacked) {
  if (system.rank_count() == 1) GTEST_SKIP() << "needs two ranks";
  if (is_first()) {
    Torn::saves_left = 1;  // to count the bytes
    EXPECT_THROW((*parts)[{1}].send<&Part::keep_torn>(Torn()), std::runtime_error);
  }
  system.run_until_quiet();
  parts->for_each_local([](const Part& part) { EXPECT_EQ(part.calls, 0); });
  expect_usable();
}

TEST_F(Recovery, FollowsFunctionsOnRanksThatThrow) {
  if (is_first()) system.send_to_rank<&report>(last(), 0.5);
  EXPECT_ERROR(system.run_until_quiet(), system, "report(");
  if (is_first()) system.send_to_rank<&report>(last(), 0.5);
  EXPECT_ERROR(system.run_until_quiet(), system, "on rank " + std::to_string(last()) + ": it broke");
  expect_usable();
}

TEST_F(Recovery, FollowsElementsThatDestroyThemselvesInCheckpoints) {
  const testing::TemporaryFolder folder;
  const std::string path = recorder.communicator().broadcast(folder.path());
  if (Part* const second = parts->find({1})) second->destroys_itself = true;
  EXPECT_ERROR(system.checkpoint(path), usage, "element (1) of \"elements\" cannot be destroyed now");
  if (Part* const second = parts->find({1})) second->destroys_itself = false;
  expect_usable();
}

}  // namespace
}  // namespace plimsoll::objects
