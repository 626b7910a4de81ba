// Messages of ranks that are never idle, or that send faster than others receive.
#include <cereal/types/vector.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include <plimsoll/objects.hpp>

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
  constexpr int count = 80;  // of 1 MiB
  elements.broadcast_collective<&Busy::flood>(count);
  system.run_until_quiet();
  elements.for_each_local([](const Busy& element) { EXPECT_EQ(element.received, count * (1 << 17)); });
}

TEST_F(Flow, DeliversFloodsBeforeItSendsMore) {
  if (system.rank_count() == 1) GTEST_SKIP() << "needs two ranks";
  constexpr int count = 160;  // of 1 MiB
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
  constexpr int count = 100;
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
}  // namespace plimsoll::objects
