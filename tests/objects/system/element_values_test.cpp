// Types of the user-defined values of elements. element_properties_test.cpp tests what happens to the values.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include <plimsoll/objects.hpp>

#include "common/throws_error.hpp"
#include "runtime/recorder/recorder_test.hpp"

namespace plimsoll::inline v0_1::objects {
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

}  // namespace
}  // namespace plimsoll::objects
