// Messages that belong to steps: ElementBase::when().
#include <cereal/types/vector.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/objects.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {
namespace {

constexpr std::int64_t n_sites = 12;

/// Element of a periodic chain. A step replaces its value by that of both neighbours and its own, modulo a
/// prime.
struct Site : Element<Site> {
  static constexpr std::int64_t prime = 1'000'003;

  std::int64_t value = 0;
  std::int64_t step = 0;
  std::int64_t last_step = 0;
  std::int64_t sum = 0;
  std::vector<std::int64_t> received;

  Site() { value = index()[0] + 1; }

  void advance(std::int64_t steps) {
    last_step += steps;
    begin_step();
  }
  void begin_step() {
    if (step == last_step) return;
    for (const std::int64_t offset : {std::int64_t{1}, n_sites - 1})
      collection()[{(index()[0] + offset) % n_sites}].send<&Site::receive_halo>(step, value);
    when<&Site::receive_halo, &Site::compute>(step, 2);
  }
  void receive_halo(Step its_step, std::int64_t number) {
    EXPECT_EQ(its_step.number, step);
    sum += number;
  }
  void compute() {
    value = (3 * value + sum) % prime;
    sum = 0;
    ++step;
    begin_step();
  }

  // Single messages of chosen steps.
  void accept(std::int64_t its_step) { when<&Site::receive>(its_step); }
  void accept_counted(std::int64_t its_step, std::int64_t count) {
    when<&Site::receive, &Site::end_step>(its_step, count);
  }
  void receive(Step, std::int64_t number) { received.push_back(number); }
  void receive_more(const Step&, const std::vector<double>& values) {
    received.push_back(std::ssize(values));
  }
  void accept_more(std::int64_t its_step) { when<&Site::receive_more>(its_step); }
  void end_step() { received.push_back(-1); }
  void accept_and_end(std::int64_t its_step) {
    accept(its_step);
    destroy();
  }
  void end() { destroy(); }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(value, step, last_step, sum, received);
  }
};

/// Returns the values of all sites after a number of steps.
std::vector<std::int64_t> expected_values(int steps) {
  std::vector<std::int64_t> values;
  for (std::int64_t k = 0; k < n_sites; ++k) values.push_back(k + 1);
  for (int step = 0; step < steps; ++step) {
    const std::vector<std::int64_t> before = values;
    for (std::size_t k = 0; k < values.size(); ++k)
      values[k] =
          (3 * before[k] + before[(k + 1) % n_sites] + before[(k + n_sites - 1) % n_sites]) % Site::prime;
  }
  return values;
}

class Steps : public ::testing::Test {
 protected:
  Settings settings() {
    Settings result{.lb_quiet = true, .lb_check = true};
    result.sink = [this](std::string_view line) { said.emplace_back(line); };
    return result;
  }
  template <auto method, class... Each>
  void send(std::int64_t to, Each... arguments) {
    if (system->rank() == 0) (*sites)[{to}].template send<method>(arguments...);
  }
  /// Sends an element messages, which it gets in any case, and returns what it has received on all ranks.
  std::vector<std::int64_t> received(std::int64_t index) {
    system->run_until_quiet();
    const Site* const site = sites->find({index});
    std::string text;
    if (site != nullptr)
      text.assign(reinterpret_cast<const char*>(site->received.data()),
                  site->received.size() * sizeof(std::int64_t));
    const mpi::Communicator world(MPI_COMM_WORLD);
    text = world.broadcast(text, world.max(site != nullptr ? system->rank() : 0));
    std::vector<std::int64_t> numbers(text.size() / sizeof(std::int64_t));
    std::ranges::copy(text, reinterpret_cast<char*>(numbers.data()));
    return numbers;
  }
  void migrate(int shift) {
    sites->for_each_local([&](Site& site) {
      site.migrate_to(static_cast<int>((site.index()[0] * 5 + shift) % system->rank_count()));
    });
    system->next_phase();
  }
  void expect_values(int steps) {
    const std::vector<std::int64_t> expected = expected_values(steps);
    sites->for_each_local([&](const Site& site) {
      EXPECT_EQ(site.step, steps);
      EXPECT_EQ(site.value, expected[static_cast<std::size_t>(site.index()[0])]);
    });
  }
  std::string error_of_run() {
    const std::optional<Error> error = plimsoll::testing::error_of([&] { system->run_until_quiet(); });
    return error ? error->what() : "no error";
  }
  std::uint64_t early_on_all_ranks() {
    return mpi::Communicator(MPI_COMM_WORLD).sum(sites->early_messages());
  }
  void open(const CollectionOptions<1>& options = {.bounds = {{n_sites}}, .name = "sites"},
            const std::string& restore = {}) {
    recorder.emplace(MPI_COMM_WORLD, settings());
    system.emplace(*recorder, SystemOptions{.restore = restore});
    sites.emplace(*system, options);
  }
  void close() {
    sites.reset();
    system.reset();
    recorder.reset();
  }
  void SetUp() override { open(); }
  void TearDown() override { close(); }

  std::vector<std::string> said;
  std::optional<LoadRecorder> recorder;
  std::optional<ObjectSystem> system;
  std::optional<Collection<Site>> sites;
};

TEST_F(Steps, GiveTheSameValuesAsALoopWhereverTheElementsAre) {
  for (int phase = 0; phase < 4; ++phase) {
    sites->broadcast_collective<&Site::advance>(25);
    migrate(phase);
  }
  expect_values(100);
  EXPECT_EQ(early_on_all_ranks(), 0);
  close();
  EXPECT_THAT(said, ::testing::IsEmpty());
}

TEST_F(Steps, KeepMessagesUntilTheElementAcceptsTheirStep) {
  for (const int step : {2, 1, 2, 0}) send<&Site::receive>(5, step, 10 * step);
  EXPECT_THAT(received(5), ::testing::IsEmpty());
  EXPECT_EQ(early_on_all_ranks(), 4);
  send<&Site::accept>(5, 0);
  EXPECT_THAT(received(5), ::testing::ElementsAre(0));
  send<&Site::accept>(5, 2);  // the message of step 1 stays, because no step may be repeated
  EXPECT_THAT(received(5), ::testing::ElementsAre(0, 20, 20));
  EXPECT_EQ(early_on_all_ranks(), 1);
}

TEST_F(Steps, CallTheFunctionAfterTheNumberOfMessages) {
  send<&Site::accept_counted>(7, 3, 2);
  for (int k = 0; k < 2; ++k) send<&Site::receive>(7, 3, k);
  EXPECT_THAT(received(7), ::testing::ElementsAre(0, 1, -1));
  send<&Site::accept_counted>(7, 4, 0);
  EXPECT_THAT(received(7), ::testing::ElementsAre(0, 1, -1, -1));
}

TEST_F(Steps, KeepLargeMessagesAndBroadcastsAndSections) {
  send<&Site::receive_more>(4, 1, std::vector<double>(100'000, 1.0));
  sites->broadcast_collective<&Site::receive_more>(1, std::vector<double>(3));
  if (system->rank() == 0) {
    sites->broadcast<&Site::receive_more>(1, std::vector<double>(5));
    sites->section({{4}, {6}}).broadcast<&Site::receive_more>(1, std::vector<double>(7));
  }
  EXPECT_THAT(received(4), ::testing::IsEmpty());
  EXPECT_EQ(early_on_all_ranks(), 1 + 2 * n_sites + 2);
  migrate(1);
  sites->broadcast_collective<&Site::accept_more>(1);
  EXPECT_THAT(received(4), ::testing::UnorderedElementsAre(100'000, 3, 5, 7));
  EXPECT_THAT(received(3), ::testing::UnorderedElementsAre(3, 5));
}

TEST_F(Steps, MigrateWithTheirElement) {
  send<&Site::accept_counted>(2, 1, 2);
  send<&Site::receive>(2, 1, 1);
  for (const int step : {3, 2, 2}) send<&Site::receive>(2, step, step);
  for (int shift = 0; shift < 3; ++shift) migrate(shift);
  EXPECT_EQ(early_on_all_ranks(), 3);
  send<&Site::receive>(2, 1, 1);  // the second of step 1
  EXPECT_THAT(received(2), ::testing::ElementsAre(1, 1, -1));
  send<&Site::accept>(2, 2);
  EXPECT_THAT(received(2), ::testing::ElementsAre(1, 1, -1, 2, 2));
}

TEST_F(Steps, AreSavedInCheckpoints) {
  std::string path = plimsoll::testing::TemporaryFolder().path() + "-of-steps";
  path = mpi::Communicator(MPI_COMM_WORLD).broadcast(path);
  send<&Site::accept_counted>(9, 1, 2);
  send<&Site::receive>(9, 1, 1);
  send<&Site::receive>(9, 2, 2);
  system->next_phase();
  system->checkpoint(path);
  close();
  open({.bounds = {{n_sites}}, .name = "sites"}, path);
  EXPECT_EQ(early_on_all_ranks(), 1);
  send<&Site::receive>(9, 1, 3);
  EXPECT_THAT(received(9), ::testing::ElementsAre(1, 3, -1));
  send<&Site::accept>(9, 2);
  EXPECT_THAT(received(9), ::testing::ElementsAre(1, 3, -1, 2));
  if (system->rank() == 0) std::filesystem::remove_all(path);
}

TEST_F(Steps, RejectMessagesOfEarlierSteps) {
  send<&Site::accept>(3, 5);
  system->run_until_quiet();
  send<&Site::receive>(3, 4, 0);
  EXPECT_THAT(error_of_run(),
              ::testing::AllOf(::testing::HasSubstr("element (3) of \"sites\" got a message for "),
                               ::testing::HasSubstr("Site::receive("),
                               ::testing::HasSubstr(" of step 4, but it accepts step 5")));
}

TEST_F(Steps, RejectMoreMessagesThanCounted) {
  send<&Site::accept_counted>(3, 5, 1);
  for (int k = 0; k < 2; ++k) send<&Site::receive>(3, 5, 0);
  EXPECT_ERROR(system->run_until_quiet(), usage, "but it accepts no more messages of step 5");
}

TEST_F(Steps, RejectStepsThatDoNotFollow) {
  send<&Site::accept>(3, 5);
  send<&Site::accept>(3, 5);
  EXPECT_THAT(error_of_run(), ::testing::AllOf(::testing::HasSubstr("when() for step 5 of "),
                                               ::testing::HasSubstr("Site::receive("),
                                               ::testing::HasSubstr(" after step 5")));
  send<&Site::accept_counted>(4, 0, 3);
  send<&Site::accept>(4, 1);
  EXPECT_ERROR(system->run_until_quiet(), usage, "but step 0 lacks 3 messages");
  send<&Site::accept_counted>(5, 0, -1);
  EXPECT_ERROR(system->run_until_quiet(), usage, "invalid number of messages -1");
}

TEST_F(Steps, RejectMoreEarlyBytesThanTheLimit) {
  close();
  open({.bounds = {{n_sites}}, .max_early_bytes = 1000, .name = "sites"});
  for (int k = 0; k < 20; ++k) send<&Site::receive>(3, 1 + k, 0);
  EXPECT_THAT(error_of_run(),
              ::testing::AllOf(
                  ::testing::HasSubstr("element (3) of \"sites\" has more than 1000 bytes of early messages"),
                  ::testing::HasSubstr("accepts no step, because it has not called when()")));
  EXPECT_GT(early_on_all_ranks(), 0);
}

TEST_F(Steps, ReportMessagesThatAreNeverDelivered) {
  send<&Site::accept>(6, 2);
  for (const int step : {7, 9}) send<&Site::receive>(6, step, 0);
  system->run_until_quiet();
  const bool is_first = system->rank() == 0;
  close();
  ASSERT_EQ(said.size(), is_first ? 1 : 0);
  if (!is_first) return;
  EXPECT_THAT(said[0],
              ::testing::StartsWith("warning: 2 messages of later steps have not been delivered at the end: "
                                    "element (6) of \"sites\" has one for "));
  EXPECT_THAT(said[0], ::testing::HasSubstr("of step 7, but accepts step 2; check that "));
}

TEST_F(Steps, HaveNoReceiverWhenTheirElementIsDestroyed) {
  send<&Site::receive>(6, 1, 0);
  system->run_until_quiet();
  send<&Site::end>(6);
  EXPECT_ERROR(system->run_until_quiet(), usage, "message to element (6) of \"sites\"");
  EXPECT_EQ(early_on_all_ranks(), 0);
  sites->broadcast_collective<&Site::receive>(1, 0);
  system->run_until_quiet();
  send<&Site::accept_and_end>(5, 1);  // its broadcast is in the queue when it ends
  EXPECT_ERROR(system->run_until_quiet(), usage, "message to element (5) of \"sites\"");
  system->run_until_quiet();
}

}  // namespace
}  // namespace plimsoll::objects
