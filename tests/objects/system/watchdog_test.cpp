// Reports of the watchdog in programs with collections.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <plimsoll/objects.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {
namespace {

TEST(Watchdog, NamesRanksThatAreInNoCall) {
  int rank = 0;
  int count = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  std::vector<std::string> said;
  runtime::Settings settings{.lb_quiet = true, .lb_watchdog = 1};
  settings.sink = [&](std::string_view text) { said.emplace_back(text); };
  LoadRecorder recorder(MPI_COMM_WORLD, settings);
  const ObjectSystem system(recorder);
  if (rank == count - 1) std::this_thread::sleep_for(std::chrono::milliseconds(3500));
  recorder.next_phase();
  int reports = static_cast<int>(said.size());
  MPI_Allreduce(MPI_IN_PLACE, &reports, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(reports, 1);
  for (const std::string& text : said)
    EXPECT_THAT(text, ::testing::HasSubstr(fmt::format("missing rank {};", count - 1)));
  EXPECT_EQ(recorder.next_phase().phase, 1) << "without a further report";
}

TEST(Watchdog, LeavesNoMessagesToARankThatNeverArrives) {
  LoadRecorder recorder(MPI_COMM_WORLD, {.lb_quiet = true, .lb_watchdog = 1});
  {
    ObjectSystem system(recorder);
    if (recorder.rank() == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(1500));  // the other ranks ask where it is
    else
      EXPECT_ERROR(system.run_until_quiet(), system, "another rank has stopped waiting for messages");
  }
  int is_left = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, recorder.communicator().handle(), &is_left, MPI_STATUS_IGNORE);
  EXPECT_EQ(is_left, 0);
}

/// Keeps its rank busy with short messages for a time.
struct Chatterer : Element<Chatterer> {
  std::chrono::steady_clock::time_point end;
  void chat() {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (std::chrono::steady_clock::now() < end) proxy().send<&Chatterer::chat>();
  }
};

TEST(Watchdog, NamesRanksThatDoNotRunUntilQuiet) {
  std::vector<std::string> said;
  runtime::Settings settings{.lb_quiet = true, .lb_watchdog = 1};
  settings.sink = [&](std::string_view text) { said.emplace_back(text); };
  LoadRecorder recorder(MPI_COMM_WORLD, settings);
  ObjectSystem system(recorder);
  const int last = system.rank_count() - 1;
  Collection<Chatterer> chatterers(system, {.bounds = {{system.rank_count()}}, .migratable = false});
  const auto reports = [&] { return recorder.communicator().sum(static_cast<std::int64_t>(said.size())); };
  system.run_until_quiet();

  if (system.rank() == last) {
    Chatterer& busy = *chatterers.find({last});
    busy.end = std::chrono::steady_clock::now() + std::chrono::milliseconds(3500);
    busy.chat();
  }
  system.run_until_quiet();
  EXPECT_EQ(reports(), 0) << "a busy rank is not missing";

  if (system.rank() == last) std::this_thread::sleep_for(std::chrono::milliseconds(3500));
  system.run_until_quiet();
  EXPECT_EQ(reports(), 1);
  for (const std::string& text : said) {
    EXPECT_THAT(text, ::testing::HasSubstr("has been waiting in run_until_quiet() of phase 0 for "));
    EXPECT_THAT(text, ::testing::HasSubstr(fmt::format(" s: missing rank {};", last)));
  }
  system.next_phase();
  EXPECT_EQ(reports(), 1);
}

}  // namespace
}  // namespace plimsoll::objects
