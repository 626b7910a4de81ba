// Tests that the decisions of a run can be recorded, and repeated in another one.
#include "runtime/manager/recorded_decisions.hpp"

#include <map>
#include <string>
#include <vector>

#include <plimsoll/support/files.hpp>

#include "runtime/manager/balanced_program.hpp"

namespace plimsoll::testing {
namespace {

using runtime::DecidedMove;
using runtime::parse_decisions;

class RecordedDecisions : public BalancedRun {
 protected:
  /// Returns the objects of this rank after each of some phases.
  std::vector<std::set<ObjectId>> run(const Settings& settings) {
    BalancedProgram program(settings);
    program.balancer.balance_at_phase_ends(program.store.transport());
    std::vector<std::set<ObjectId>> placements;
    for (int phase = 0; phase < 4; ++phase) {
      program.step();
      placements.push_back(program.here());
    }
    program.recorder.close();
    return placements;
  }
  std::string file(const std::string& name) const { return folder + "/" + name; }
};

TEST_F(RecordedDecisions, AreRepeatedByALaterRun) {
  for (const std::string strategy : {"RandomLB", "TemperedLB"}) {
    Settings recording = always(strategy, "first" + strategy);
    recording.lb_decisions = file(strategy + ".csv");
    const auto placements = run(recording);
    Settings replaying = settings("second" + strategy);
    replaying.lb_decisions_in = recording.lb_decisions;
    replaying.lb_decisions = file(strategy + "-again.csv");
    EXPECT_EQ(run(replaying), placements);
    if (rank != 0) continue;
    EXPECT_EQ(support::read_text_file(replaying.lb_decisions),
              support::read_text_file(recording.lb_decisions));
  }
}

TEST_F(RecordedDecisions, NameObjectsThatAreNotWhereTheyWere) {
  const std::string path = file("decisions.csv");
  const std::vector<DecidedMove> moves = {{1, static_cast<std::uint64_t>(BalancedProgram::id(0)), 0, 0},
                                          {2, 77, count - 1, 0}};
  if (rank == 0)
    support::write_text_file(path, std::string(runtime::decision_columns) + to_lines(moves), false);
  MPI_Barrier(MPI_COMM_WORLD);
  Settings replaying = settings();
  replaying.lb_decisions_in = path;
  BalancedProgram program(replaying);
  program.balancer.balance_at_phase_ends(program.store.transport());
  program.step();
  program.step();
  EXPECT_ERROR(program.step(), bad_input, "has no such migratable object");
  EXPECT_EQ(program.step().balancing.migrations, 0);
  program.recorder.close();
}

TEST_F(RecordedDecisions, NameObjectsThatLeaveTwice) {
  const std::string path = file("decisions.csv");
  const std::vector<DecidedMove> moves(2,
                                       {1, static_cast<std::uint64_t>(BalancedProgram::id(0)), 0, count - 1});
  if (rank == 0)
    support::write_text_file(path, std::string(runtime::decision_columns) + to_lines(moves), false);
  MPI_Barrier(MPI_COMM_WORLD);
  Settings replaying = settings();
  replaying.lb_decisions_in = path;
  BalancedProgram program(replaying);
  program.balancer.balance_at_phase_ends(program.store.transport());
  program.step();
  EXPECT_ERROR(program.step(), bad_input, "is to leave rank 0 twice");
  EXPECT_EQ(program.step().balancing.migrations, 0);
  program.recorder.close();
}

TEST_F(RecordedDecisions, ContainOnePlanPerPhase) {
  if (count == 1) GTEST_SKIP() << "needs two ranks";
  Settings recording = always("RotateLB");
  recording.lb_decisions = file("decisions.csv");
  BalancedProgram program(recording);
  program.step();
  EXPECT_GT(program.balancer.plan().moves, 0);
  EXPECT_ERROR(program.balancer.plan(), usage, "call plan() once per phase");
  program.recorder.close();
}

TEST_F(RecordedDecisions, RejectMissingAndExistingFiles) {
  Settings replaying = settings();
  replaying.lb_decisions_in = file("missing.csv");
  EXPECT_ERROR(BalancedProgram{replaying}, system, "missing.csv");
  if (rank == 0) support::write_text_file(file("taken.csv"), "1", false);
  MPI_Barrier(MPI_COMM_WORLD);
  Settings recording = settings("other");
  recording.lb_decisions = file("taken.csv");
  EXPECT_ERROR(BalancedProgram{recording}, usage, "taken.csv");
}

TEST_F(RecordedDecisions, RejectInvalidLines) {
  const std::string header(runtime::decision_columns);
  const std::vector<DecidedMove> moves = {{0, 18'446'744'073'709'551'615U, 3, 0}, {2, 5, 0, 3}};
  EXPECT_EQ(header + to_lines(moves), "phase,object,from,to\n0,18446744073709551615,3,0\n2,5,0,3\n");
  EXPECT_EQ(parse_decisions(header + to_lines(moves), "f", 4), moves);
  EXPECT_TRUE(parse_decisions(header, "f", 4).empty());
  EXPECT_ERROR(parse_decisions("object,rank\n", "f", 4), bad_input, "line 1: not a file of decisions");
  EXPECT_ERROR(parse_decisions(header + "0,1,2,3\n0,1,2\n", "f", 4), bad_input, "line 3: invalid decision");
  EXPECT_ERROR(parse_decisions(header + "0,1,2,3", "f", 4), bad_input, "line 2: invalid decision");
  EXPECT_ERROR(parse_decisions(header + "0,1,2,3,4\n", "f", 4), bad_input, "line 2: invalid decision");
  EXPECT_ERROR(parse_decisions(header + "0,1,4,3\n", "f", 4), bad_input, "invalid rank 4: this run has 4");
  EXPECT_ERROR(parse_decisions(header + "1,1,0,3\n0,1,0,3\n", "f", 4), bad_input, "line 3: invalid phase 0");
}

}  // namespace
}  // namespace plimsoll::testing
