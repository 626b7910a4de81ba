// Requests: messages with a reply, to an element or to the main program.
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <plimsoll/objects.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {
namespace {

constexpr std::int64_t n_clerks = 10;

struct Clerk : Element<Clerk> {
  std::int64_t received = 0;

  double half(std::int64_t number) const { return 0.5 * static_cast<double>(number + index()[0]); }
  const std::string& append(std::string text) {
    last_text = std::move(text) + std::to_string(index()[0]);
    return last_text;
  }
  std::int64_t sum(const std::vector<std::int64_t>& numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0});
  }
  int fail() { throw std::runtime_error("it broke"); }

  std::int64_t square() { return index()[0] * index()[0]; }
  void receive(std::int64_t number) { received += number; }
  /// Requests the squares of all elements.
  void ask_all() {
    for (std::int64_t k = 0; k < n_clerks; ++k)
      collection()[{k}].request<&Clerk::square, &Clerk::receive>(proxy());
  }
  void ask_for_a_future() { collection()[{0}].request<&Clerk::square>(); }
  void end() { destroy(); }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(received, last_text);
  }
  std::string last_text;
};

class Requests : public ::testing::Test {
 protected:
  LoadRecorder recorder{MPI_COMM_WORLD, {.lb_quiet = true, .lb_check = true}};
  ObjectSystem system{recorder};
  Collection<Clerk> clerks{system, {.bounds = {{n_clerks}}, .name = "clerks"}};
};

TEST_F(Requests, GiveTheMainProgramOfEachRankItsReplies) {
  std::vector<Future<double>> halves;
  for (std::int64_t k = 0; k < n_clerks; ++k)
    halves.push_back(clerks[{k}].request<&Clerk::half>(100 * system.rank()));
  const Future<std::string> text = clerks[{7}].request<&Clerk::append>("clerk ");
  const Future<std::int64_t> sum = clerks[{9}].request<&Clerk::sum>(std::vector<std::int64_t>(20'000, 3));
  EXPECT_FALSE(halves[0].is_ready());
  system.run_until_quiet();
  for (std::int64_t k = 0; k < n_clerks; ++k)
    EXPECT_EQ(halves[static_cast<std::size_t>(k)].get(), 50 * system.rank() + 0.5 * static_cast<double>(k));
  EXPECT_EQ(text.get(), "clerk 7");
  EXPECT_EQ(sum.get(), 60'000);
}

TEST_F(Requests, SendRepliesToElementsThatMigrate) {
  std::int64_t expected = 0;
  for (std::int64_t k = 0; k < n_clerks; ++k) expected += k * k;
  for (int round = 1; round <= 3; ++round) {
    clerks.broadcast_collective<&Clerk::ask_all>();
    clerks.for_each_local([&](Clerk& clerk) {
      clerk.migrate_to(static_cast<int>((clerk.index()[0] + round) % system.rank_count()));
    });
    system.next_phase();
    clerks.for_each_local([&](const Clerk& clerk) { EXPECT_EQ(clerk.received, round * expected); });
  }
}

TEST_F(Requests, SendRepliesToAnotherElementThanTheSender) {
  if (system.rank() == 0) clerks[{3}].request<&Clerk::square, &Clerk::receive>(clerks[{8}]);
  system.run_until_quiet();
  clerks.for_each_local([](const Clerk& clerk) { EXPECT_EQ(clerk.received, clerk.index()[0] == 8 ? 9 : 0); });
}

TEST_F(Requests, HaveNoReplyBeforeItArrives) {
  const Future<std::int64_t> square = clerks[{3}].request<&Clerk::square>();
  EXPECT_ERROR(square.get(), usage, "a reply to a request has not arrived");
  system.run_until_quiet();
  EXPECT_EQ(square.get(), 9);
}

TEST_F(Requests, HaveNoReplyIfTheFunctionThrows) {
  const Future<int> reply = clerks[{3}].request<&Clerk::fail>();
  EXPECT_ERROR(system.run_until_quiet(), system, "element (3) of \"clerks\": it broke");
  EXPECT_FALSE(reply.is_ready());
}

TEST_F(Requests, GiveNoFuturesToElements) {
  if (system.rank() == 0) clerks[{3}].send<&Clerk::ask_for_a_future>();
  EXPECT_ERROR(system.run_until_quiet(), usage,
               "element (3) of \"clerks\" requests a future, which stays on its rank");
}

TEST_F(Requests, AreErrorsIfTheElementDoesNotExist) {
  if (system.rank() == 0) clerks[{3}].send<&Clerk::end>();
  system.run_until_quiet();
  const Future<std::int64_t> reply = clerks[{3}].request<&Clerk::square>();
  EXPECT_ERROR(system.run_until_quiet(), usage, "message to element (3) of \"clerks\", which does not exist");
  EXPECT_FALSE(reply.is_ready());
}

}  // namespace
}  // namespace plimsoll::objects
