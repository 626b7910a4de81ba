// A user's program that includes only installed headers and links the installed libraries.
#include <iostream>
#include <string>

#include <plimsoll/lbdata.hpp>
#include <plimsoll/pelayout.hpp>
#include <plimsoll/support.hpp>

/// Returns whether a layout can be solved, which requires the libraries for JSON, YAML, XML and, if
/// available, CBC.
bool finds_a_layout() {
  using namespace plimsoll::pelayout;
  const Problem problem = parse_problem(
      R"({"ATM": {"ntasks": [1, 2, 3], "cost": [12, 6, 4]}, "OCN": {"ntasks": [1, 2, 3], "cost": [6, 3, 2]}})",
      "problem.json");
  const Planner planner(
      problem, parse_layout_file("layout: ATM | OCN", "layout.yaml"),
      {.model = ModelKind::linear, .solver = has_milp() ? SolverKind::both : SolverKind::dynamic_program});
  const Solution solution = planner.solve(3);
  return solution.time > 5.999 && solution.time < 6.001 &&
         to_xml({to_pes(problem, solution)}).find("config_pes") != std::string::npos;
}

int main() {
  const auto category = plimsoll::lbdata::comm_category("SendRecv");
  if (category != plimsoll::lbdata::CommCategory::SendRecv) return 1;
  if (!finds_a_layout()) return 2;
  const plimsoll::Error error = plimsoll::support::bad_input("no such rank", "data.7.json");
  std::cout << to_string(*category) << "; " << error.what() << '\n';
}
