// Tests what a Balancer says and records about its decisions.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include <plimsoll/runtime/balancer.hpp>
#include <plimsoll/support/files.hpp>

#include "runtime/manager/balanced_program.hpp"

namespace plimsoll::testing {
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
  EXPECT_EQ(plan.remark, "RefineLB did not run: the condition lb_when=1000 is not satisfied.");
  program.recorder.close();
}

TEST_F(BalancerReport, SaysInTheLineOfThePhaseWhyNothingMigrates) {
  if (count == 1) GTEST_SKIP() << "needs two ranks";
  std::vector<std::string> lines;
  Settings its = always();
  its.lb_when = "pays";
  its.lb_args = "max_moved_bytes=1e300";  // so that the sizes are known
  its.lb_quiet = false;
  its.sink = [&](std::string_view line) { lines.emplace_back(line); };
  BalancedProgram program(its);
  program.balancer.balance_at_phase_ends(program.store.transport());
  for (const ObjectId id : program.here())  // each would take days
    program.recorder.set_value(program.recorder.find(id), UserValueKind::user_defined,
                               "task_serialized_bytes", 1e15);
  EXPECT_EQ(program.step().balancing.remark, "") << "nothing is decided in the first phase";
  std::string remark;  // of the first decision, which takes more phases with more ranks
  for (int phase = 1; phase < 10 && remark.empty(); ++phase) remark = program.step().balancing.remark;
  EXPECT_THAT(remark, ::testing::MatchesRegex(
                          "The predicted gain of .* per phase does not justify .* migrations\\."));
  program.recorder.close();
  if (rank != 0) return;
  EXPECT_THAT(lines.at(0), ::testing::Not(::testing::HasSubstr("GreedyLB")));
  EXPECT_THAT(lines.back(), ::testing::HasSubstr("objects; GreedyLB: no migrations, decision "));
  EXPECT_THAT(lines.back(), ::testing::HasSubstr("s. The predicted gain of "));
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
  EXPECT_THAT(lines.at(0), ::testing::HasSubstr("s. Missed the target: the imbalance is "));
  EXPECT_THAT(lines.at(1), ::testing::HasSubstr("s. GreedyLB found no better placement."));
}

}  // namespace
}  // namespace plimsoll::testing
