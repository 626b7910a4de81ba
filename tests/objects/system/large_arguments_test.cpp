// Arguments that are sent from their own memory.
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <plimsoll/objects.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {
namespace {

using Numbers = std::vector<std::int64_t>;

/// Numbers that are large enough, and different for each `first`.
Numbers numbers_from(std::int64_t first) {
  Numbers numbers(200'001);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

struct Receiver : Element<Receiver> {
  std::vector<std::int64_t> firsts;  // of the numbers that have arrived
  bool is_intact = true;

  void take(const Numbers& numbers) {
    is_intact = is_intact && numbers == numbers_from(numbers.front());
    firsts.push_back(numbers.front());
  }
  void take_small(std::int64_t first) { firsts.push_back(first); }
  void take_several(std::string text, const Numbers& numbers, int number, const std::vector<float>& floats,
                    const std::vector<bool>& flags) {
    is_intact = text == "text" && numbers == numbers_from(3) && number == 4 &&
                floats == std::vector<float>(300'000, 0.5F) && flags == std::vector<bool>(1'000'000, true);
    firsts.push_back(3);
  }
  /// Sends to itself and to the next element.
  void send_on() {
    const std::int64_t size = collection().bounds().sizes[0];
    collection()[index()].send<&Receiver::take>(numbers_from(index()[0]));
    collection()[{(index()[0] + 1) % size}].send<&Receiver::take>(numbers_from(index()[0]));
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(firsts, is_intact);
  }
};

class LargeArguments : public ::testing::Test {
 protected:
  LoadRecorder recorder{MPI_COMM_WORLD, {.lb_quiet = true}};
  ObjectSystem system{recorder};
  Collection<Receiver> receivers{system, {.bounds = {system.rank_count()}}};

  const int last = system.rank_count() - 1;

  /// Expects that the element of the last rank has received these, wherever it is, and nobody anything else.
  void expect_received(const std::vector<std::int64_t>& firsts) {
    receivers.for_each_local([&](const Receiver& receiver) {
      EXPECT_TRUE(receiver.is_intact);
      EXPECT_EQ(receiver.firsts, receiver.index()[0] == last ? firsts : std::vector<std::int64_t>{});
    });
  }
};

TEST_F(LargeArguments, ArriveInOrderWithSmallOnes) {
  std::vector<std::int64_t> expected;
  for (std::int64_t k = 0; k < 50; ++k) {
    if (system.rank() == 0) {
      receivers[{last}].send<&Receiver::take>(numbers_from(2 * k));
      receivers[{last}].send<&Receiver::take_small>(2 * k + 1);
    }
    expected.insert(expected.end(), {2 * k, 2 * k + 1});
  }
  system.run_until_quiet();
  expect_received(expected);
}

TEST_F(LargeArguments, AreCopiedUnlessMoved) {
  if (system.rank() == 0) {
    Numbers numbers = numbers_from(1);
    receivers[{last}].send<&Receiver::take>(numbers);
    EXPECT_EQ(numbers, numbers_from(1));
    numbers.assign(numbers.size(), 0);
  }
  system.run_until_quiet();
  expect_received({1});
}

TEST_F(LargeArguments, ArriveTogetherWithOtherArguments) {
  if (system.rank() == 0)
    receivers[{last}].send<&Receiver::take_several>(
        "text", numbers_from(3), 4, std::vector<float>(300'000, 0.5F), std::vector<bool>(1'000'000, true));
  system.run_until_quiet();
  expect_received({3});
}

TEST_F(LargeArguments, OfAllElementsArrive) {
  receivers.broadcast_collective<&Receiver::send_on>();
  system.run_until_quiet();
  const std::int64_t size = system.rank_count();
  receivers.for_each_local([&](const Receiver& receiver) {
    EXPECT_TRUE(receiver.is_intact);
    ASSERT_EQ(receiver.firsts.size(), 2U);
    EXPECT_EQ(receiver.firsts[0] + receiver.firsts[1],
              receiver.index()[0] + (receiver.index()[0] + size - 1) % size);
  });
}

TEST_F(LargeArguments, FollowElementsThatMigrate) {
  receivers.for_each_local(
      [&](Receiver& receiver) { receiver.migrate_to((system.rank() + 1) % system.rank_count()); });
  system.run_until_quiet();
  // No rank knows where the elements are, and the messages of the home go to the directory.
  std::vector<std::int64_t> expected;
  for (std::int64_t k = 0; k < 5; ++k) {
    if (system.rank() == 0) receivers[{last}].send<&Receiver::take>(numbers_from(k));
    expected.push_back(k);
  }
  system.run_until_quiet();
  expect_received(expected);
}

TEST_F(LargeArguments, CountAsDelivered) {
  if (system.rank() == 0) receivers[{last}].send<&Receiver::take>(numbers_from(1));
  system.next_phase();
  double bytes = 0;
  const auto& communications = recorder.node_lb_data().phases().back().communications;
  if (communications)
    for (const double edge_bytes : communications->bytes) bytes += edge_bytes;
  const double expected = system.rank() == last ? 8 + 200'001 * sizeof(std::int64_t) : 0;
  EXPECT_EQ(bytes, expected);
}

}  // namespace
}  // namespace plimsoll::objects
