// User-defined values of elements: their types, and what happens to them when elements migrate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include <plimsoll/objects.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>

#include "common/throws_error.hpp"
#include "objects/system/element_data.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {
namespace {

struct Holder : Element<Holder> {
  template <class Archive>
  void serialize(Archive&) {}
};

/// Values of the elements of a collection with one element per rank.
struct ElementValueTypes : plimsoll::testing::RecorderRun {
  Holder& holder() { return *holders.find({system.rank()}); }
  /// Inserts a value, and reads it as the same type.
  template <class Value>
  Value inserted(Value value) {
    holder().val_remove("value");
    holder().val_insert("value", value);
    return holder().val_get<Value>("value");
  }
  /// Expects that the extreme values of an integer type can be inserted.
  template <class Integer>
  void expect_range(Integer max = std::numeric_limits<Integer>::max()) {
    constexpr Integer min = std::numeric_limits<Integer>::min();
    EXPECT_EQ(inserted(min), min);
    EXPECT_EQ(inserted(max), max);
    EXPECT_EQ(holder().val_get<std::int64_t>("value"), static_cast<std::int64_t>(max));
  }

  LoadRecorder recorder{MPI_COMM_WORLD, settings()};
  ObjectSystem system{recorder};
  Collection<Holder> holders{system, {.bounds = {{system.rank_count()}}}};
};

constexpr std::int64_t max_integer = std::numeric_limits<std::int64_t>::max();

TEST_F(ElementValueTypes, AreAllIntegers) {
  expect_range<bool>();
  expect_range<char>();
  expect_range<signed char>();
  expect_range<unsigned char>();
  expect_range<short>();
  expect_range<unsigned short>();
  expect_range<int>();
  expect_range<unsigned>();
  expect_range<long>();
  expect_range<long long>();
  expect_range<unsigned long>(max_integer);
  expect_range<unsigned long long>(max_integer);
  expect_range<std::size_t>(max_integer);
}

TEST_F(ElementValueTypes, AreNumbersAndTexts) {
  EXPECT_EQ(inserted(0.1F), 0.1F);
  EXPECT_EQ(inserted(0.1), 0.1);
  EXPECT_EQ(inserted(std::string("text")), "text");
  holder().val_insert("literal", "text");
  EXPECT_EQ(holder().val_get<std::string>("literal"), "text");
}

TEST_F(ElementValueTypes, RejectIntegersBeyond64BitsWithSign) {
  const std::uint64_t first_rejected = std::uint64_t{1} << 63;
  EXPECT_ERROR(holder().val_insert("size", first_rejected), usage,
               "invalid integer 9223372036854775808 for the value \"size\": must be <= 2^63 - 1");
  EXPECT_ERROR(holder().val_insert("size", std::numeric_limits<unsigned long long>::max()), usage, "invalid");
  EXPECT_FALSE(holder().val_exists("size"));
}

TEST_F(ElementValueTypes, AreConvertedIfTheyFit) {
  holder().val_insert("negative", -1);
  EXPECT_EQ(holder().val_get<signed char>("negative"), -1);
  EXPECT_EQ(holder().val_get<float>("negative"), -1);
  EXPECT_ERROR(holder().val_get<std::size_t>("negative"), usage,
               "the value \"negative\" is -1, which does not fit into the type that val_get() requests");
  holder().val_insert("large", 300U);
  EXPECT_EQ(holder().val_get<short>("large"), 300);
  EXPECT_ERROR(holder().val_get<std::uint8_t>("large"), usage, "the value \"large\" is 300");
  EXPECT_ERROR(holder().val_get<bool>("large"), usage, "the value \"large\" is 300");
  holder().val_insert("fraction", 0.5);
  EXPECT_ERROR(holder().val_get<int>("fraction"), usage, "the value \"fraction\" has another type");
}

/// Element with values that say where it has been.
struct Traveller : Element<Traveller> {
  Traveller() {
    val_insert("number", index()[0]);
    val_insert("name", "traveller " + std::to_string(index()[0]), UserValueKind::attributes);
    val_insert("hops", std::int64_t{0});
    val_insert("weight", 0.1 * static_cast<double>(index()[0]));
  }
  void go(int rank) {
    const auto hops = val_get<std::int64_t>("hops");
    val_remove("hops");
    val_insert("hops", hops + 1);
    migrate_to(rank);
  }
  void forget() { val_remove("name"); }

  template <class Archive>
  void serialize(Archive&) {}
};

using ElementValues = plimsoll::testing::RecordedElements;

TEST_F(ElementValues, Migrate) {
  Collection<Traveller> travellers(system, {.bounds = {{10}}});
  for (int round = 1; round <= 3; ++round) {
    travellers.for_each_local([&](Traveller& traveller) { traveller.go(next_rank()); });
    system.run_until_quiet();
    travellers.for_each_local([&](const Traveller& traveller) {
      const std::int64_t number = traveller.index()[0];
      EXPECT_EQ(traveller.val_get<std::int64_t>("hops"), round);
      EXPECT_EQ(traveller.val_get<std::int64_t>("number"), number);
      EXPECT_EQ(traveller.val_get<double>("number"), static_cast<double>(number));
      EXPECT_EQ(traveller.val_get<double>("weight"), 0.1 * static_cast<double>(number));
      EXPECT_EQ(traveller.val_get<std::string>("name"), "traveller " + std::to_string(number));
    });
  }
  system.next_phase();
}

TEST_F(ElementValues, AreWrittenToTheData) {
  Collection<Traveller> travellers(system, {.bounds = {{10}}});
  travellers.for_each_local([&](Traveller& traveller) { traveller.go(next_rank()); });
  system.next_phase();
  system.next_phase();  // the first has tasks of elements that have left
  const lbdata::Tasks& tasks = recorder.node_lb_data().phases().back().tasks;
  const lbdata::EntityTable& entities = recorder.node_lb_data().entities();
  std::size_t n_found = 0;
  for (std::uint32_t task = 0; task < tasks.size(); ++task) {
    const lbdata::IndexTuple index = entities.index(tasks.entity[task]);
    if (index.size() == 0) continue;  // the rank itself
    ++n_found;
    EXPECT_THAT(std::string(tasks.user_defined.at(task)),
                ::testing::AllOf(::testing::HasSubstr(R"("hops":1)"),
                                 ::testing::HasSubstr("\"number\":" + std::to_string(index[0]))));
    EXPECT_THAT(std::string(tasks.attributes.at(task)),
                ::testing::HasSubstr("\"name\":\"traveller " + std::to_string(index[0])));
  }
  EXPECT_EQ(n_found, travellers.local_count());
}

TEST_F(ElementValues, KeepTheirFirstValueUntilTheyAreRemoved) {
  Collection<Traveller> travellers(system, {.bounds = {{10}}});
  travellers.for_each_local([](Traveller& traveller) {
    traveller.val_insert("name", "somebody");
    EXPECT_NE(traveller.val_get<std::string>("name"), "somebody");
    traveller.forget();
    EXPECT_FALSE(traveller.val_exists("name"));
    EXPECT_ERROR(traveller.val_get<std::string>("name"), usage, "an element has no value \"name\"");
    traveller.val_insert("name", "somebody");
    EXPECT_EQ(traveller.val_get<std::string>("name"), "somebody");
    EXPECT_ERROR(traveller.val_get<double>("name"), usage, "the value \"name\" has another type");
    EXPECT_ERROR(traveller.val_get<std::int64_t>("weight"), usage, "the value \"weight\" has another type");
  });
}

TEST_F(ElementValues, DoNotBelongToElementsInTheSamePlace) {
  Collection<Traveller> travellers(system, {.bounds = {{10}}});
  travellers.for_each_local([&](Traveller& traveller) {
    const Index<1> index = traveller.index();
    traveller.go(system.rank());
    traveller.destroy();
    travellers.insert(index);
  });
  system.next_phase();
  travellers.for_each_local(
      [](const Traveller& traveller) { EXPECT_EQ(traveller.val_get<std::int64_t>("hops"), 0); });
}

}  // namespace
}  // namespace plimsoll::objects
