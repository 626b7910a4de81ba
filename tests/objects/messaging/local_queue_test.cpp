#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <plimsoll/objects/arguments.hpp>
#include <plimsoll/objects/local_queue.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {
namespace {

static_assert(is_narrowing<double, int>);
static_assert(is_narrowing<float, std::int64_t>);
static_assert(is_narrowing<double, float>);
static_assert(is_narrowing<long double, double>);
static_assert(is_narrowing<int, unsigned>);
static_assert(is_narrowing<int, std::size_t>);
static_assert(is_narrowing<signed char, std::uint64_t>);
static_assert(is_narrowing<unsigned, int>);
static_assert(is_narrowing<std::size_t, std::int64_t>);
static_assert(is_narrowing<std::int64_t, int>);
static_assert(is_narrowing<int, char>);
static_assert(is_narrowing<int, bool>);
static_assert(is_narrowing<double, bool>);
static_assert(is_narrowing<int, float>);
static_assert(is_narrowing<std::int64_t, double>);
static_assert(is_narrowing<std::size_t, double>);

static_assert(!is_narrowing<int, int>);
static_assert(!is_narrowing<double, double>);
static_assert(!is_narrowing<float, double>);
static_assert(!is_narrowing<double, long double>);
static_assert(!is_narrowing<int, std::int64_t>);
static_assert(!is_narrowing<unsigned, std::int64_t>);
static_assert(!is_narrowing<unsigned char, unsigned>);
static_assert(!is_narrowing<long, long long>);
static_assert(!is_narrowing<char, int>);
static_assert(!is_narrowing<bool, int>);
static_assert(!is_narrowing<bool, unsigned>);
static_assert(!is_narrowing<bool, double>);
static_assert(!is_narrowing<short, float>);
static_assert(!is_narrowing<int, double>);
static_assert(!is_narrowing<unsigned, double>);
static_assert(!is_narrowing<const char*, std::string>);
static_assert(!is_narrowing<std::vector<double>, std::vector<double>>);

TEST(Arguments, BecomeValuesOfTheirParameters) {
  using Parameters = std::tuple<double, std::int64_t, std::string, std::array<int, 2>>;
  const std::array<int, 2> pair{3, 4};
  EXPECT_EQ((passed_as<Parameters>(1, 2U, "text", pair)), Parameters(1.0, 2, "text", pair));
}

}  // namespace

namespace {

/// Message of some 1000 bytes. Copying its content may throw, as that of any argument.
struct Parcel : LocalMessage {
  Parcel(int marker, bool is_broken) : LocalMessage(type_of_parcel), value(marker) {
    ++alive;
    if (!is_broken) return;
    --alive;
    throw std::runtime_error("broken");
  }
  ~Parcel() { --alive; }
  static void destroy(LocalMessage& message) { static_cast<Parcel&>(message).~Parcel(); }
  static constexpr Type type_of_parcel{0, nullptr, nullptr, &destroy};
  static inline int alive = 0;

  int value;
  std::array<char, 1000> content{};
};

int popped(LocalQueue& queue) {
  int value = 0;
  queue.pop([&](LocalMessage& message) { value = static_cast<Parcel&>(message).value; });
  return value;
}

TEST(LocalQueue, KeepsTheOrderThroughManyChunks) {
  LocalQueue queue;
  for (int round = 0; round < 3; ++round) {
    for (int k = 0; k < 1000; ++k) queue.emplace<Parcel>(k, false);
    for (int k = 0; k < 1000; ++k) EXPECT_EQ(popped(queue), k);
    EXPECT_TRUE(queue.empty());
  }
  EXPECT_EQ(Parcel::alive, 0);
}

TEST(LocalQueue, IsUnchangedIfAMessageCannotBeConstructed) {
  for (int filling = 0; filling < 200; ++filling) {  // also when the chunk has no room left
    LocalQueue queue;
    for (int k = 0; k < filling; ++k) queue.emplace<Parcel>(k, false);
    EXPECT_THROW(queue.emplace<Parcel>(0, true), std::runtime_error);
    for (int k = 0; k < filling; ++k) EXPECT_EQ(popped(queue), k);
    EXPECT_TRUE(queue.empty());
    queue.emplace<Parcel>(5, false);
    EXPECT_EQ(popped(queue), 5);
    EXPECT_TRUE(queue.empty());
  }
  EXPECT_EQ(Parcel::alive, 0);
}

TEST(LocalQueue, DestroysTheMessagesLeft) {
  {
    LocalQueue queue;
    for (int k = 0; k < 100; ++k) queue.emplace<Parcel>(k, false);
    EXPECT_EQ(Parcel::alive, 100);
  }
  EXPECT_EQ(Parcel::alive, 0);
}

}  // namespace
}  // namespace plimsoll::objects
