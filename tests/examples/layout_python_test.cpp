// Solves the documentation's example with the layout class of examples/layout_python, through the library.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include <plimsoll/pelayout/solvers.hpp>
#include <plimsoll/support/internal/process.hpp>

#include "common/shared_data.hpp"
#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

using namespace plimsoll;
using namespace plimsoll::pelayout;

namespace {

const std::string example = PLIMSOLL_LAYOUT_PYTHON_EXAMPLE;

/// Returns a Python interpreter with PuLP, if available.
std::optional<std::string> python_with_pulp() {
  for (const char* python : {"python3", "/usr/bin/python3"}) {
    bool has_pulp = false;
    plimsoll::testing::error_of([&] {
      has_pulp = support::run_child({python, "-c", "import pulp"}, {.merge_errors = true}).status == 0;
    });
    if (has_pulp) return python;
  }
  return std::nullopt;
}

class LayoutPython : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto python = python_with_pulp();
    if (!python) GTEST_SKIP() << "needs a Python with PuLP";
    if (*python == "python3") return;
    std::filesystem::create_symlink(*python, folder_ / "python3");
    ::setenv("PATH", (folder_.path() + ":" + std::getenv("PATH")).c_str(), 1);
  }

  /// Solves a problem with the external solver; `data` defaults to Plimsoll's own example.
  static ExternalAnswer solve(const std::string& layout, std::int64_t total,
                              const std::string& data = plimsoll::testing::own_path("cime/example.json")) {
    const Problem problem = read_problem(data);
    return run_external_solver(layout, problem, make_component_models(problem, ModelKind::cime, total), total,
                               100);
  }

  static double value(const ExternalAnswer& answer, const std::string& name) {
    for (const auto& [given, value] : answer.values)
      if (given == name) return value;
    ADD_FAILURE() << "no " << name;
    return 0;
  }

  plimsoll::testing::TemporaryFolder folder_;
};

TEST_F(LayoutPython, SolvesDocumentedExample) {
  PLIMSOLL_NEED_SHARED("data/cime/example.json");
  const ExternalAnswer answer =
      solve(example + "/my_layout", 1024, plimsoll::testing::shared_path("data/cime/example.json"));
  EXPECT_NEAR(answer.time, 23.943355, 1e-6);
  EXPECT_NEAR(value(answer, "COST_TOTAL"), 23.943355, 1e-6);
  EXPECT_EQ(value(answer, "NTASKS_ATM"), 992);
  EXPECT_EQ(value(answer, "NBLOCKS_ATM"), 124);
  EXPECT_EQ(value(answer, "NTASKS_OCN"), 32);
  ASSERT_EQ(answer.places.size(), 4U);
  EXPECT_EQ(answer.places[0].component, "ICE");
  EXPECT_EQ(answer.places[0].tasks, 872);
  EXPECT_EQ(answer.places[1].tasks, 120);
  EXPECT_EQ(answer.places[1].root, 872);
  EXPECT_EQ(answer.places[2].root, 0);
  EXPECT_EQ(answer.places[3].root, 992);
  EXPECT_NEAR(answer.places[2].cost, 22.567587, 1e-6);
  EXPECT_NEAR(answer.places[2].start, 1.375768, 1e-6);
  EXPECT_NEAR(answer.places[2].end, answer.time, 1e-6);
}

TEST_F(LayoutPython, AcceptsClassFromDocumentation) {
  ::setenv("PLIMSOLL_LAYOUT_PYTHON", (example + "/plimsoll_layout.py").c_str(), 1);
  EXPECT_NEAR(solve("my_new_layout.MyNewLayout", 1000).time, 24.75, 1e-6);
  ::unsetenv("PLIMSOLL_LAYOUT_PYTHON");
}

TEST_F(LayoutPython, ReportsMissingSolution) {
  EXPECT_ERROR(solve(example + "/my_layout", 16), bad_input, "the solver reports no solution");
}

/// Solves a layout with a class written like those for CIME's tool. The class has no get_solution(), and its
/// sums of tasks are equality constraints. It writes an LP file, prints output, and has a write_pe_file()
/// that fails.
TEST_F(LayoutPython, RunsClassWrittenForCimeTool) {
  PLIMSOLL_NEED_SHARED("data/cime/atmlnd.json");
  folder_.write("two_parts.py", R"(import pulp
import optimize_model

class TwoParts(optimize_model.OptimizeModel):
    def get_required_components(self):
        return ['ATM', 'LND', 'ROF', 'ICE', 'CPL', 'OCN']

    def optimize(self):
        assert self.status == pulp.constants.LpStatusUndefined
        print("solving", self.models['ATM'].ntasks)
        self.X = {}
        self.constraints = []
        self.prob = pulp.LpProblem("two_parts", pulp.LpMinimize)
        self.X['TotalTime'] = pulp.LpVariable('TotalTime', lowBound=0)
        self.X['N1'] = pulp.LpVariable('N1', lowBound=1, cat=pulp.LpInteger)
        for c in self.get_required_components():
            k = c.lower()
            self.X['T' + k] = pulp.LpVariable('T' + k, lowBound=0)
            for n in ['N' + k, 'NB' + k]:
                self.X[n] = pulp.LpVariable(n, lowBound=1, cat=pulp.LpInteger)
            self.constraints.append([self.models[c].blocksize * self.X['NB' + k] - self.X['N' + k] == 0, 'NB' + k])
        X = self.X
        self.prob += X['TotalTime']
        self.constraints.append([X['Tatm'] + X['Trof'] + X['Tcpl'] - X['TotalTime'] <= 0, "first"])
        self.constraints.append([X['Tlnd'] + X['Tice'] + X['Tocn'] - X['TotalTime'] <= 0, "second"])
        for k in ['atm', 'rof', 'cpl']:
            self.constraints.append([X['N' + k] - X['N1'] == 0, "first " + k])
        for k in ['lnd', 'ice', 'ocn']:
            self.constraints.append([X['N' + k] + X['N1'] == self.maxtasks, "second " + k])
        self.add_model_constraints()
        for c, s in self.constraints:
            self.prob += c, s
        self.prob.writeLP("two_parts.lp")
        self.prob.solve()
        self.status = self.prob.status
        return pulp.LpStatus[self.prob.status]

    def write_pe_file(self, pefilename):
        self.write_pe_template(pefilename, {'atm': natm}, {}, {})
)");
  ::setenv("PYTHONPATH", folder_.path().c_str(), 1);
  ::setenv("PLIMSOLL_LAYOUT_PYTHON", (example + "/plimsoll_layout.py").c_str(), 1);
  const ExternalAnswer answer =
      solve("two_parts.TwoParts", 1024, plimsoll::testing::shared_path("data/cime/atmlnd.json"));
  EXPECT_NEAR(answer.time, 23.668050, 1e-6);
  EXPECT_EQ(value(answer, "Natm"), 976);
  EXPECT_EQ(value(answer, "NBatm"), 122);
  EXPECT_EQ(value(answer, "Nocn"), 48);
  EXPECT_TRUE(answer.places.empty());
  ::unsetenv("PLIMSOLL_LAYOUT_PYTHON");
}

/// Classes for the last version of CIME's tool use its states, and may not call __init__() of the base class.
/// This one needs 64 tasks, so that it has no solution on 32.
TEST_F(LayoutPython, RunsClassThatUsesStatesOfCimeTool) {
  folder_.write("with_states.py", R"(import optimize_model
import pulp

class WithStates(optimize_model.OptimizeModel):
    def __init__(self):
        self.models = {}

    def get_required_components(self):
        return ['OCN']

    def optimize(self):
        assert self.state == self.STATE_UNSOLVED and self.get_state_string(self.state) == 'Unsolved'
        self.write_timings(None)
        self.graph_costs()
        self.prob = pulp.LpProblem("with_states", pulp.LpMinimize)
        self.X['Tocn'] = pulp.LpVariable('Tocn', lowBound=0)
        self.X['Nocn'] = pulp.LpVariable('Nocn', lowBound=1, upBound=self.maxtasks, cat=pulp.LpInteger)
        self.prob += self.X['Tocn']
        self.prob += self.X['Nocn'] >= 64
        self.add_model_constraints()
        for c, s in self.constraints:
            self.prob += c, s
        self.prob.solve()
        self.set_state(self.prob.status)
        return self.get_state()

    def get_solution(self):
        assert self.state == self.STATE_SOLVED_OK
        return super().get_solution()
)");
  ::setenv("PYTHONPATH", folder_.path().c_str(), 1);
  ::setenv("PLIMSOLL_LAYOUT_PYTHON", (example + "/plimsoll_layout.py").c_str(), 1);
  const ExternalAnswer answer = solve("with_states.WithStates", 64);
  const Problem problem = read_problem(plimsoll::testing::own_path("cime/example.json"));
  const auto models = make_component_models(problem, ModelKind::cime, 64);
  const auto ocean = std::ranges::find(models, "OCN", &ComponentModel::component);
  EXPECT_NEAR(answer.time, ocean->by_threads.begin()->second->cost(64), 1e-6);
  EXPECT_EQ(value(answer, "Nocn"), 64);
  EXPECT_ERROR(solve("with_states.WithStates", 32), bad_input, "the solver reports no solution");
  ::unsetenv("PLIMSOLL_LAYOUT_PYTHON");
}

/// The sequential layout on 128 tasks costs the sum of all times. Only the time of OCN was measured at 128
/// tasks.
TEST_F(LayoutPython, RunsSolverFromManual) {
  const std::string manual =
      plimsoll::testing::file_content(PLIMSOLL_DOCS "/how-to/write-a-layout-solver.md");
  const std::string fence = "```python\n";
  const std::size_t begin = manual.find(fence) + fence.size();
  const std::string solver = folder_.write("solver", manual.substr(begin, manual.find("```", begin) - begin));
  std::filesystem::permissions(solver, std::filesystem::perms::owner_all);
  const ExternalAnswer answer = solve(solver, 128);
  const double atm = 132 + (68 - 132) * (128.0 - 120) / (240 - 120);
  const double lnd = 13 + (7 - 13) * (128.0 - 80) / (160 - 80);
  const double ice = 25 + (13 - 25) * (128.0 - 80) / (160 - 80);
  EXPECT_NEAR(answer.time, atm + 13.5 + lnd + ice, 1e-6);
  EXPECT_EQ(answer.places.size(), 4U);
}

}  // namespace
