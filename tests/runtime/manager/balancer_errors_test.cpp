// Tests errors of a Balancer, which all ranks get, and after which the program may continue, and what it says
// and records about its decisions.

#include <gmock/gmock.h>

#include <stdexcept>
#include <string>
#include <vector>

#include <plimsoll/runtime/balancer.hpp>
#include <plimsoll/support/files.hpp>

#include "runtime/manager/balanced_program.hpp"

namespace plimsoll::testing {
namespace {

using BalancerErrors = BalancedRun;

TEST_F(BalancerErrors, RejectsInvalidRequests) {
  BalancedProgram program(settings());
  program.balancer.balance_at_phase_ends(program.store.transport());
  if (rank == 0) program.balancer.request({{BalancedProgram::id(3), 0, count}});
  EXPECT_ERROR(program.step(), usage, "in a request to migrate");
  program.balancer.request({{BalancedProgram::id(99), rank, 0}});
  EXPECT_ERROR(program.step(), usage, "is requested to migrate, but not registered on this rank");
  EXPECT_EQ(program.step().balancing.migrations, 0);
  program.recorder.close();
}

TEST_F(BalancerErrors, ReportsErrorsOnAllRanksAndContinues) {
  Settings failing = always("GreedyLB");
  failing.lb_args = "max_moved_bytes=1";  // the sizes are unknown
  BalancedProgram program(failing);
  EXPECT_ERROR(program.balancer.plan("GreedyLB"), usage, "before the first phase has ended");
  EXPECT_ERROR(program.balancer.plan(), usage, "before the first phase has ended");
  EXPECT_ERROR(program.balancer.set_strategy("OfflineLB"), usage, "lb_data_in");
  EXPECT_ERROR(program.balancer.set_strategy("GreedLB"), usage, "GreedLB");
  EXPECT_ERROR(Balancer{program.recorder}, usage, "already has a Balancer");
  program.balancer.balance_at_phase_ends(program.store.transport());
  EXPECT_ERROR(program.step(), usage, "max_moved_bytes");
  EXPECT_EQ(program.recorder.phase(), 1) << "the phase has ended";

  program.balancer.set_strategy("RotateLB");
  runtime::ObjectTransport broken = program.store.transport();
  broken.pack = [](ObjectId, std::span<std::byte>) -> std::size_t {
    throw std::runtime_error("no more ink");
  };
  program.balancer.balance_at_phase_ends(broken);
  if (count > 1) EXPECT_ERROR(program.step(), system, "no more ink");
  program.balancer.balance_at_phase_ends(program.store.transport());
  program.step();
  EXPECT_EQ(program.store.objects.empty(), rank != 1 % count);
  program.step();
  program.recorder.close();
}

TEST_F(BalancerErrors, RejectsMigrationsInsideHooks) {
  BalancedProgram program(always("RotateLB"));
  program.balancer.balance_at_phase_ends(program.store.transport());
  program.balancer.on_migration(
      [&](const MigrationPlan& plan) { program.balancer.migrate(plan, program.store.transport()); });
  if (count == 1) GTEST_SKIP() << "nothing migrates";
  EXPECT_ERROR(program.step(), usage, "migrate() called inside a migration hook");
}

TEST_F(BalancerErrors, CallsNoHookAfterOneThatFails) {
  if (count == 1) GTEST_SKIP() << "needs two ranks";
  BalancedProgram program(always("RotateLB"));
  program.balancer.balance_at_phase_ends(program.store.transport());
  const std::vector<ObjectId> ids = {BalancedProgram::id(0)};
  bool fails = true;
  std::vector<int> owners;
  program.balancer.on_migration([&](const MigrationPlan&) {
    if (fails && rank == 0) throw std::runtime_error("no more paper");
  });
  program.balancer.on_migration([&](const MigrationPlan&) { owners = program.balancer.owner(ids); });
  EXPECT_ERROR(program.step(), system, "rank 0: no more paper");
  EXPECT_TRUE(owners.empty()) << "it would wait for rank 0";
  fails = false;
  program.step();
  EXPECT_EQ(owners, std::vector{2 % count});
  program.recorder.close();
}

TEST_F(BalancerErrors, RejectsPlanThatDoesNotFitTheObjects) {
  BalancedProgram program(settings());
  program.step();
  const MigrationPlan plan = program.balancer.plan("RotateLB");
  if (count > 1) {
    if (rank == 0) program.recorder.remove_object(program.recorder.find(BalancedProgram::id(2)));
    EXPECT_ERROR(program.balancer.moved(plan), usage, "is not registered on rank 0");
  }
  program.recorder.close();
}

TEST_F(BalancerErrors, RegistersNoArrivalsIfOneIsRegisteredAlready) {
  if (count == 1) GTEST_SKIP() << "needs two ranks";
  BalancedProgram program(settings());
  program.step();
  const MigrationPlan plan = program.balancer.plan("RotateLB");
  constexpr std::uint64_t twice = 5;
  if (rank == 1) program.recorder.register_object(BalancedProgram::id(twice), {});
  const auto expect_no_arrivals = [&] {
    for (std::uint64_t k = 0; k < BalancedProgram::n_objects; ++k)
      EXPECT_EQ(static_cast<bool>(program.recorder.find(BalancedProgram::id(k))),
                rank == 0 || (rank == 1 && k == twice))
          << k;
  };
  EXPECT_ERROR(program.balancer.moved(plan), usage, "rank 1: ");
  expect_no_arrivals();
  EXPECT_ERROR(program.balancer.migrate(plan, program.store.transport()), usage, "rank 1: ");
  expect_no_arrivals();
  program.recorder.close();
}

}  // namespace

namespace {

using BalancerReport = BalancedRun;

TEST_F(BalancerReport, RecordsWhatItDid) {
  Settings with_statistics = always("RotateLB");
  with_statistics.lb_statistics = true;
  with_statistics.lb_statistics_compress = false;
  with_statistics.lb_statistics_freq = 1;
  with_statistics.lb_statistics_dir = folder;
  with_statistics.lb_statistics_file = "statistics.json";
  BalancedProgram program(with_statistics);
  program.balancer.balance_at_phase_ends(program.store.transport());
  program.step();
  program.recorder.close();
  const lbdata::Dataset dataset = read();
  const std::string values = dataset.ranks[0].phases[0].user_defined.value_or("");
  EXPECT_THAT(values, ::testing::HasSubstr(R"("lb_name":"RotateLB")"));
  EXPECT_THAT(values, ::testing::HasSubstr(R"("lb_time":)"));
  EXPECT_THAT(values, ::testing::HasSubstr(R"("lb_predicted_gain":)"));
  EXPECT_THAT(values, ::testing::HasSubstr(R"("migration_time":)"));
  const std::string text = support::read_text_file(folder + "/statistics.json");
  EXPECT_THAT(text, ::testing::HasSubstr(count > 1 ? R"("migration count":24)" : R"("migration count":0)"));
  EXPECT_THAT(text, ::testing::HasSubstr(R"("post-LB":)"));
}

TEST_F(BalancerReport, SaysWhyNothingMigrates) {
  std::string said;
  Settings its = settings("without_strategy");
  its.lb = true;
  its.sink = [&](std::string_view message) { said += message; };
  { BalancedProgram without_strategy(its); }
  if (rank == 0) {
    EXPECT_THAT(said, ::testing::HasSubstr("lb has no effect: no strategy is selected"));
  }

  Settings rarely = always("RefineLB");
  rarely.lb_when = "1000";
  BalancedProgram program(rarely);
  program.step();
  const MigrationPlan plan = program.balancer.plan();
  EXPECT_TRUE(plan.empty());
  EXPECT_TRUE(plan.strategy.empty()) << "none ran";
  EXPECT_EQ(plan.remark, "Not balanced: the imbalance of the loads is not above lb_when=1000.");
  program.recorder.close();
}

TEST_F(BalancerReport, GivesAReasonIfAStrategyFindsNothingBetter) {
  BalancedProgram program(always("RefineLB"));
  program.balancer.balance_at_phase_ends(program.store.transport());
  for (int phase = 0; phase < 5; ++phase) {
    const auto balancing = program.step().balancing;
    ASSERT_EQ(balancing.not_balanced.has_value(), balancing.migrations == 0) << phase;
    if (balancing.not_balanced) {
      EXPECT_EQ(balancing.not_balanced->reason, "no_placement") << phase;
    }
  }
  program.recorder.close();
}

TEST_F(BalancerReport, SaysInTheLineOfThePhaseWhyNothingMigrates) {
  if (count == 1) GTEST_SKIP() << "needs two ranks";
  std::vector<std::string> lines;
  Settings its = always();
  its.lb_when = "pays";
  its.lb_quiet = false;
  its.sink = [&](std::string_view line) { lines.emplace_back(line); };
  BalancedProgram program(its);
  ObjectTransport transport = program.store.transport();
  transport.predicted_bytes = [](ObjectId) { return 1e15; };  // each would take days
  program.balancer.balance_at_phase_ends(std::move(transport));
  const auto reason = [&] { return program.step().balancing.not_balanced.value().reason; };
  EXPECT_EQ(reason(), "first_phases");
  std::string last;  // the first decision takes more phases with more ranks
  int phases = 1;
  for (; phases < 10 && last != "price"; ++phases) last = reason();
  EXPECT_EQ(last, "price");
  EXPECT_EQ(reason(), "price");
  program.recorder.close();
  if (rank != 0) return;
  EXPECT_THAT(lines.at(0), ::testing::HasSubstr("; not balanced: the first phases are only measured"));
  const std::string& refused = lines.at(static_cast<std::size_t>(phases - 1));
  EXPECT_THAT(refused, ::testing::HasSubstr("objects; GreedyLB: no migrations, decision "));
  EXPECT_THAT(refused, ::testing::HasSubstr("; not balanced: a gain of "));
  EXPECT_THAT(refused, ::testing::HasSubstr(" is less than the price of "));
  EXPECT_THAT(lines.at(static_cast<std::size_t>(phases)),
              ::testing::Not(::testing::HasSubstr("not balanced")))
      << "the reason is the same";
  EXPECT_THAT(lines.back(), ::testing::StartsWith("load balancing: 0 migrations after 0 of "));
}

TEST_F(BalancerReport, EndsWithTheBalancerIfTheRecordingGoesOn) {
  std::vector<std::string> lines;
  Settings its = always("RefineLB");
  its.lb_quiet = false;
  its.sink = [&](std::string_view line) { lines.emplace_back(line); };
  LoadRecorder recorder(MPI_COMM_WORLD, its);
  {
    ObjectStore store;
    Balancer balancer(recorder);
    balancer.balance_at_phase_ends(store.transport());
    recorder.next_phase();
  }
  const std::vector<std::string> before_close = lines;
  recorder.close();
  EXPECT_EQ(lines, before_close);
  if (rank != 0) return;
  EXPECT_THAT(lines.back(), ::testing::StartsWith("load balancing: 0 migrations after 0 of 1 phase "));
}

TEST_F(BalancerReport, SaysInTheLineOfThePhaseWhatMigrated) {
  if (count == 1) GTEST_SKIP() << "needs two ranks";
  std::vector<std::string> lines;
  Settings its = always("RefineLB");
  its.lb_args = "max_moves=1";
  its.lb_quiet = false;
  its.sink = [&](std::string_view line) { lines.emplace_back(line); };
  BalancedProgram program(its);
  program.balancer.balance_at_phase_ends(program.store.transport());
  program.step();
  program.balancer.set_strategy("GreedyLB(max_moves=0)");
  program.step();
  program.recorder.close();
  if (rank != 0) return;
  EXPECT_THAT(lines.at(0), ::testing::HasSubstr("; RefineLB: 1 migration, new imbalance "));
  EXPECT_THAT(lines.at(0), ::testing::HasSubstr("). Missed the target: the imbalance is "));
  EXPECT_THAT(lines.at(1), ::testing::HasSubstr("s. GreedyLB found no better placement."));
}

}  // namespace
}  // namespace plimsoll::testing
