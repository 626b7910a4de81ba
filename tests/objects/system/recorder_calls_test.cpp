// Collective calls of the recorder and its Balancer while other ranks are in calls of the system.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <plimsoll/objects.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {
namespace {

using plimsoll::testing::error_of;
using runtime::PhaseSummary;

struct Visitor : Element<Visitor> {
  int received = 0;
  void receive(int value) { received += value; }
  void end_phase() { system().recorder().next_phase(); }
};

class RecorderCalls : public ::testing::Test {
 protected:
  bool is_last() const { return system.rank() == system.rank_count() - 1; }
  void expect_usable() {
    Collection<Visitor> visitors(system, {.bounds = {{10}}});
    visitors.broadcast<&Visitor::receive>(1);
    system.next_phase();
    visitors.for_each_local([&](const Visitor& each) { EXPECT_EQ(each.received, system.rank_count()); });
  }

  LoadRecorder recorder{MPI_COMM_WORLD, {.lb_quiet = true}};
  ObjectSystem system{recorder};
};

TEST_F(RecorderCalls, AreNamedWhileOtherRanksAreInCallsOfTheSystem) {
  if (system.rank_count() == 1) GTEST_SKIP() << "needs two ranks";
  const std::map<std::string, std::function<void()>> calls_of_recorder{
      {"LoadRecorder::close()", [&] { recorder.close(); }},
      {"LoadRecorder::next_phase()", [&] { recorder.next_phase(); }},
      {"Balancer::plan()", [&] { system.balancer().plan("GreedyLB"); }},
      {"Balancer::moved()", [&] { system.balancer().moved({}); }},
      {"Balancer::owner()", [&] { system.balancer().owner({}); }}};
  const std::map<std::string, std::function<void()>> calls_of_system{
      {"run_until_quiet()", [&] { system.run_until_quiet(); }},
      {"next_phase()", [&] { system.next_phase(); }},
      {"the constructor of collection",
       [&] { const Collection<Visitor> visitors(system, {.bounds = {{10}}}); }}};
  for (const auto& of_recorder : calls_of_recorder) {
    for (const auto& of_system : calls_of_system) {
      const std::string& name = of_recorder.first;
      const std::string& other_name = of_system.first;
      const std::function<void()>& call = of_recorder.second;
      const std::function<void()>& other_call = of_system.second;
      const std::int64_t phase = recorder.phase();
      const std::string expected = fmt::format(", rank {} calls {} in phase {}; make the same calls",
                                               system.rank_count() - 1, name, phase);
      const auto error = error_of(is_last() ? call : other_call);
      ASSERT_TRUE(error);
      EXPECT_EQ(error->kind(), ErrorKind::usage);
      EXPECT_THAT(error->what(), ::testing::HasSubstr("rank 0 calls " + other_name));
      EXPECT_THAT(error->what(), ::testing::HasSubstr(expected));

      EXPECT_ERROR((system.rank() == 0 ? call : other_call)(), usage,
                   fmt::format("rank 0 calls {} in phase {}, rank 1 calls {}", name, phase, other_name));
      EXPECT_EQ(recorder.phase(), phase) << "the call had no effect";
      expect_usable();
    }
  }
}

TEST_F(RecorderCalls, MustBeTheSameOnAllRanks) {
  if (system.rank_count() == 1) GTEST_SKIP() << "needs two ranks";
  const auto call = [&] {
    if (is_last()) return recorder.close();
    recorder.next_phase();
  };
  EXPECT_ERROR(call(), usage, "rank 0 calls LoadRecorder::next_phase() in phase 0, rank");
  expect_usable();
}

TEST_F(RecorderCalls, WorkBetweenCallsOfTheSystem) {
  const Collection<Visitor> visitors(system, {.bounds = {{10}}});
  system.next_phase();
  EXPECT_EQ(recorder.next_phase().phase, 1);
  EXPECT_TRUE(system.balancer().plan().empty());
  EXPECT_EQ(system.balancer().owner(std::vector{recorder.id(recorder.rank_object())}),
            std::vector{system.rank()});
  EXPECT_EQ(system.next_phase().phase, 2);
  recorder.close();
}

TEST_F(RecorderCalls, WorkInHooksOfTheProgram) {
  const std::vector<ObjectId> mine{recorder.id(recorder.rank_object())};
  std::vector<int> owners;
  recorder.on_phase_end([&](const PhaseSummary&) { owners = system.balancer().owner(mine); });
  system.next_phase();
  EXPECT_EQ(owners, std::vector{system.rank()});
  owners.clear();
  recorder.next_phase();
  EXPECT_EQ(owners, std::vector{system.rank()});
}

TEST_F(RecorderCalls, AreRefusedInMemberFunctionsOfElements) {
  Collection<Visitor> visitors(system, {.bounds = {{10}}});
  if (system.rank() == 0) visitors[{0}].send<&Visitor::end_phase>();
  EXPECT_ERROR(system.run_until_quiet(), usage, "LoadRecorder::next_phase() is called by an element");
  expect_usable();
}

TEST_F(RecorderCalls, AreNotComparedAfterTheEndOfTheSystem) {
  LoadRecorder other(MPI_COMM_WORLD, {.lb_quiet = true});
  { const ObjectSystem temporary(other); }
  EXPECT_EQ(other.next_phase().phase, 0);
  other.close();
}

}  // namespace
}  // namespace plimsoll::objects
