// Messages of ranks that are never idle, or that send faster than others receive, and arguments that are sent
// from their own memory.

#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <plimsoll/objects.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {
namespace {

struct Busy : Element<Busy> {
  bool has_answer = false;
  std::int64_t received = 0;
  std::int64_t received_while_pouring = 0;

  /// Keeps the rank busy until the answer of the next element arrives.
  void wait_busily() {
    if (!has_answer) collection()[index()].send<&Busy::wait_busily>();
  }
  void ask() {
    collection()[{(index()[0] + 1) % collection().bounds().sizes[0]}].send<&Busy::answer>(index()[0]);
    wait_busily();
  }
  void answer(std::int64_t to) { collection()[{to}].send<&Busy::take_answer>(); }
  void take_answer() { has_answer = true; }

  /// Sends more than may be under way, in one member function.
  void flood(int count) {
    const std::vector<std::uint64_t> words(1 << 17);
    for (int k = 0; k < count; ++k)
      collection()[{(index()[0] + 1) % collection().bounds().sizes[0]}].send<&Busy::take>(words);
  }
  void take(const std::vector<std::uint64_t>& words) { received += std::ssize(words); }
  /// Sends as much in many member functions.
  void pour(int count) {
    if (count == 0) {
      received_while_pouring = received;
      return;
    }
    collection()[{1 - index()[0]}].send<&Busy::take>(std::vector<std::uint64_t>(1 << 17));
    collection()[index()].send<&Busy::pour>(count - 1);
  }
};

class Flow : public ::testing::Test {
 protected:
  LoadRecorder recorder{MPI_COMM_WORLD, {.lb_quiet = true}};
  ObjectSystem system{recorder};
  Collection<Busy> elements{system, {.bounds = {{system.rank_count()}}, .migratable = false}};
};

TEST_F(Flow, SendsMessagesOfBusyRanks) {
  elements.broadcast_collective<&Busy::ask>();
  system.run_until_quiet();
  elements.for_each_local([](const Busy& element) { EXPECT_TRUE(element.has_answer); });
}

TEST_F(Flow, DeliversFloods) {
  constexpr int count = 68;  // of 1 MiB
  elements.broadcast_collective<&Busy::flood>(count);
  system.run_until_quiet();
  elements.for_each_local([](const Busy& element) { EXPECT_EQ(element.received, count * (1 << 17)); });
}

TEST_F(Flow, DeliversFloodsBeforeItSendsMore) {
  if (system.rank_count() == 1) GTEST_SKIP() << "needs two ranks";
  constexpr int count = 136;  // of 1 MiB
  const bool takes_part = system.rank() < 2;
  if (takes_part) elements[{system.rank()}].send<&Busy::pour>(count);
  system.run_until_quiet();
  // At most 64 MiB of each rank are under way, and 64 MiB have arrived, when the last member function sends.
  std::int64_t received_early = 0;
  elements.for_each_local([&](const Busy& element) {
    received_early = element.received_while_pouring;
    EXPECT_EQ(element.received, takes_part ? count * (1 << 17) : 0);
  });
  EXPECT_GT(recorder.communicator().sum(received_early), 0);
}

TEST_F(Flow, DoesNotWaitOutsideOfRunUntilQuiet) {
  constexpr int count = 68;
  const std::vector<std::uint64_t> words(1 << 17);
  if (system.rank() == 0)
    for (int k = 0; k < count; ++k) elements[{system.rank_count() - 1}].send<&Busy::take>(words);
  recorder.communicator().barrier();  // rank 0 must reach this
  system.run_until_quiet();
  elements.for_each_local([&](const Busy& element) {
    EXPECT_EQ(element.received, element.index()[0] == system.rank_count() - 1 ? count * (1 << 17) : 0);
  });
}

}  // namespace

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
