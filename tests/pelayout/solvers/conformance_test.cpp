// Compares solutions with the optimal layouts under the model of CIME's tool, which an exhaustive search
// found. The cases cover Plimsoll's data (tests/data/README.md) and the data that CIME's tool contains. For
// the latter, the tool finds the same layouts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include <plimsoll/pelayout/plan.hpp>
#include <plimsoll/pelayout/solvers.hpp>
#include <plimsoll/pelayout/timing_file.hpp>

#include "common/shared_data.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

/// A table of optimal layouts and the data of its rows.
struct Solutions {
  std::string name;
  std::string table;
  std::string data;  ///< directory
  std::size_t n_found;
  std::size_t n_infeasible;
};

const Solutions& own_solutions() {
  static const Solutions own{"Own", testing::own_path("cime/solutions.md"), testing::own_path("cime"), 14, 3};
  return own;
}

const Solutions& cime_solutions() {
  static const Solutions cime{"Cime", testing::shared_path("conformance/cime-solutions.md"),
                              testing::shared_path("data/cime"), 36, 3};
  return cime;
}

/// A row of the table: maps headings to cells.
using Row = std::map<std::string, std::string>;

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> result;
  std::istringstream rest(line.substr(1));
  for (std::string cell; std::getline(rest, cell, '|');) {
    const std::size_t first = cell.find_first_not_of(' ');
    const std::size_t last = cell.find_last_not_of(' ');
    result.push_back(first == std::string::npos ? "" : cell.substr(first, last - first + 1));
  }
  return result;
}

std::vector<Row> read_rows(const std::string& table) {
  std::vector<Row> rows;
  std::vector<std::string> headings;
  std::ifstream file(table);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("|") || line.starts_with("|--")) continue;
    const std::vector<std::string> values = cells(line);
    if (headings.empty()) {
      headings = values;
      continue;
    }
    Row& row = rows.emplace_back();
    for (std::size_t k = 0; k < headings.size(); ++k) row[headings[k]] = values.at(k);
  }
  return rows;
}

std::optional<double> number(const std::string& cell) {
  return cell == "-" ? std::nullopt : std::optional(std::stod(cell));
}

Problem read_data(const std::string& folder, const std::string& name) {
  if (name != "timing") return read_problem(folder + "/" + name + ".json");
  TimingSearch search;
  search.folders = {folder + "/timing"};
  std::vector<Diagnostic> warnings;
  return gather_timings(find_timing_files(search).files, {.unit = CostUnit::total_seconds, .threads = {}},
                        warnings);
}

/// Sets block sizes. "8 atm=64,ocn=1" sets the size of all components, then of two of them. "file/1" keeps
/// the sizes in the data.
void set_block_sizes(Problem& problem, const std::string& text) {
  if (text == "file/1") return;
  std::istringstream words(text);
  std::int64_t size = 0;
  words >> size;
  for (Component& component : problem.components) component.block_size = size;
  std::string name;
  while (std::getline(words >> std::ws, name, '=') && words >> size) {
    for (Component& component : problem.components)
      if (component.name ==
          fmt::format("{:c}{:c}{:c}", std::toupper(name[0]), std::toupper(name[1]), std::toupper(name[2])))
        component.block_size = size;
    words.ignore(1, ',');
  }
}

Layout layout_of(const Row& row) {
  const std::map<std::string, std::string> names{
      {"ILAO", "IceLndAtmOcn"}, {"ILWAO", "IceLndWavAtmOcn"}, {"AtmLnd", "AtmLnd"}};
  return find_layout(names.at(row.at("layout")), {});
}

std::string title(const Row& row) {
  return fmt::format("{} {} {} in blocks of {}", row.at("data"), row.at("layout"), row.at("total"),
                     row.at("bs"));
}

class EverySolver : public ::testing::TestWithParam<std::tuple<Solutions, SolverKind>> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(solutions_.table)) GTEST_SKIP() << "needs " << solutions_.table;
    if (solver_ == SolverKind::milp && !has_milp()) GTEST_SKIP() << "built without CBC";
    rows_ = read_rows(solutions_.table);
    ASSERT_EQ(rows_.size(), solutions_.n_found + solutions_.n_infeasible);
  }

  Solution solve(const Row& row, const PlanOptions& options) const {
    Problem problem = read_data(solutions_.data, row.at("data"));
    set_block_sizes(problem, row.at("bs"));
    return Planner(problem, layout_of(row), options).solve(std::stoll(row.at("total")));
  }

  const Solutions solutions_ = std::get<Solutions>(GetParam());
  const SolverKind solver_ = std::get<SolverKind>(GetParam());
  std::vector<Row> rows_;
};

TEST_P(EverySolver, MatchesTimesAndCountsOfCimeToolWithExactSums) {
  std::size_t n_checked = 0;
  for (const Row& row : rows_) {
    if (row.at("status") != "ok") continue;
    SCOPED_TRACE(title(row));
    ++n_checked;
    const Solution solution = solve(row, {.model = ModelKind::cime, .solver = solver_, .exact_sum = true});
    EXPECT_NEAR(solution.time, *number(row.at("T (s)")), 1e-6);
    if (row.at("ties") != "1") continue;
    for (const std::string component : {"ATM", "OCN", "ICE", "LND", "WAV"}) {
      const std::optional<double> tasks = number(row.at(component));
      if (tasks) {
        EXPECT_EQ(static_cast<double>(solution.find(component)->tasks), *tasks) << component;
      }
    }
  }
  EXPECT_EQ(n_checked, solutions_.n_found);
}

TEST_P(EverySolver, ReportsInfeasibleExactSums) {
  std::size_t n_checked = 0;
  for (const Row& row : rows_) {
    if (row.at("status") != "INFEASIBLE") continue;
    SCOPED_TRACE(title(row));
    ++n_checked;
    EXPECT_ERROR(solve(row, {.model = ModelKind::cime, .solver = solver_, .exact_sum = true}), bad_input,
                 "processors");
  }
  EXPECT_EQ(n_checked, solutions_.n_infeasible);
}

TEST_P(EverySolver, MatchesTimesIfProcessorsMayBeIdle) {
  for (const Row& row : rows_) {
    const std::optional<double> time = number(row.at("T<="));
    if (!time) continue;
    SCOPED_TRACE(title(row));
    EXPECT_NEAR(solve(row, {.model = ModelKind::cime, .solver = solver_}).time, *time, 1e-6);
  }
}

TEST_P(EverySolver, MatchesTimesOfPiecewiseLinearModel) {
  for (const Row& row : rows_) {
    const std::optional<double> time = number(row.at("T PL"));
    if (!time) continue;
    SCOPED_TRACE(title(row));
    EXPECT_NEAR(solve(row, {.model = ModelKind::linear, .solver = solver_}).time, *time, 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, EverySolver,
                         ::testing::Combine(::testing::Values(own_solutions(), cime_solutions()),
                                            ::testing::Values(SolverKind::dynamic_program, SolverKind::milp)),
                         [](const auto& tested) {
                           const SolverKind solver = std::get<SolverKind>(tested.param);
                           return std::get<Solutions>(tested.param).name +
                                  (solver == SolverKind::milp ? "Cbc" : "DynamicProgram");
                         });

}  // namespace
}  // namespace plimsoll::pelayout
