#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <numeric>
#include <span>

#include <plimsoll/pelayout/solvers.hpp>
#include <plimsoll/support/contract.hpp>

#include "pelayout/solvers/choice.hpp"
#include "pelayout/solvers/mixed_integer_program.hpp"
#include "pelayout/solvers/piecewise_cost.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

double value(const Terms& terms, const std::vector<double>& of_variables) {
  double sum = 0;
  for (const Term& term : terms) sum += term.factor * of_variables[static_cast<std::size_t>(term.variable)];
  return sum;
}

using enum MixedIntegerProgram::Relation;

/// Adds a layout expression to a mixed-integer linear program.
struct Formulation {
  const LayoutProblem& problem;
  MixedIntegerProgram program;
  MixedIntegerProgram::Relation sum;  ///< relation between the processors of a part and those available to it
  std::vector<PiecewiseCost::Variables> components;
  std::size_t n_placed = 0;  ///< number of components added so far

  /// Processors of each kind of nodes, and time of a part.
  struct Part {
    std::array<Terms, 2> processors;
    Terms time;
  };

  Part part(const LayoutExpression& expression) {
    if (expression.kind == LayoutExpression::Kind::component) return component();
    return expression.kind == LayoutExpression::Kind::sequence ? sequence(expression)
                                                               : concurrent(expression);
  }

 private:
  Part component() {
    const std::size_t kind = problem.tables[n_placed].partition;
    const PiecewiseCost::Variables& variables = components[n_placed++];
    Part part{.processors = {}, .time = variables.time};
    part.processors[kind] = variables.processors;
    return part;
  }

  static void append(Terms& terms, const Terms& more) { terms.insert(terms.end(), more.begin(), more.end()); }

  /// Adds times; the parts share the processors of each kind.
  Part sequence(const LayoutExpression& expression) {
    Part all;
    const auto spanning = problem.layout.spanning_part(expression);
    for (std::size_t k = 0; k < expression.parts.size(); ++k) {
      Part child = part(expression.parts[k]);
      append(all.time, child.time);
      for (std::size_t kind = 0; kind < all.processors.size(); ++kind) {
        if (child.processors[kind].empty()) continue;
        if (all.processors[kind].empty()) all.processors[kind] = {{program.add_variable(0, infinity), 1}};
        child.processors[kind].push_back({all.processors[kind].front().variable, -1});
        program.add_constraint(child.processors[kind], k == spanning ? equal : sum, 0);
      }
    }
    return all;
  }

  /// Adds processors of each kind; the slowest part determines the time.
  Part concurrent(const LayoutExpression& expression) {
    Part all;
    const int time = program.add_variable(0, infinity);
    all.time = {{time, 1}};
    for (const LayoutExpression& child_expression : expression.parts) {
      Part child = part(child_expression);
      for (std::size_t kind = 0; kind < all.processors.size(); ++kind)
        append(all.processors[kind], child.processors[kind]);
      child.time.push_back({time, -1});
      program.add_constraint(child.time, at_most, 0);
    }
    return all;
  }
};

/// Solution of a relaxation of the problem: no assignment is faster than `time`.
struct Relaxed {
  double time = 0;
  struct Component {
    std::int64_t processors = 0;
    double time = 0;
  };
  std::vector<Component> components;
};

std::optional<Relaxed> solve_relaxed(const LayoutProblem& problem, const std::vector<PiecewiseCost>& costs,
                                     double time_unit) {
  std::int64_t unit = 0;
  for (const PiecewiseCost& cost : costs) unit = std::gcd(unit, cost.step());
  Formulation formulation{
      .problem = problem, .program = {}, .sum = problem.exact_sum ? equal : at_most, .components = {}};
  for (const PiecewiseCost& cost : costs)
    formulation.components.push_back(cost.add_to(formulation.program, unit, time_unit));
  const Formulation::Part root = formulation.part(problem.layout.expression);
  for (std::size_t kind = 0; kind < root.processors.size(); ++kind) {
    const std::int64_t total = problem.partitions.empty() ? problem.total : problem.partitions[kind].total();
    if (!root.processors[kind].empty())
      formulation.program.add_constraint(root.processors[kind], formulation.sum,
                                         static_cast<double>(total) / static_cast<double>(unit));
    if (problem.partitions.empty()) break;
  }
  const auto values = formulation.program.minimise(root.time);
  if (!values) return std::nullopt;
  Relaxed relaxed{.time = time_unit * value(root.time, *values), .components = {}};
  for (const PiecewiseCost::Variables& variables : formulation.components)
    relaxed.components.push_back(
        {std::llround(static_cast<double>(unit) * value(variables.processors, *values)),
         time_unit * value(variables.time, *values)});
  return relaxed;
}

/// Converts a relaxed solution to an assignment; empty if the assignment is invalid.
std::optional<Solution> assignment(const LayoutProblem& problem, const std::vector<PiecewiseCost>& costs,
                                   const Relaxed& relaxed) {
  std::vector<std::size_t> choice;
  for (std::size_t k = 0; k < costs.size(); ++k) {
    const auto entry = costs[k].entry(relaxed.components[k].processors);
    if (!entry) return std::nullopt;
    choice.push_back(*entry);
  }
  return make_solution(problem, settle_ties(problem, std::move(choice), problem.total));
}

/// Returns the time of the expression without the layout's overhead and wait.
double cycle_time(const LayoutProblem& problem, const Solution& solution) {
  return (solution.time - problem.layout.wait) / (1 + problem.layout.overhead);
}

}  // namespace

bool has_milp() {
  return true;
}

Solution solve_milp(const LayoutProblem& problem) {
  // Scale times so that the minimum time is about 1000, because CBC's tolerances are absolute.
  constexpr double times_wanted = 1000;
  std::vector<PiecewiseCost> costs;
  double time_unit = 0;
  for (const CostTable& table : problem.tables) {
    costs.emplace_back(table, problem.exact_sum || problem.layout.rule(table.component).spans);
    if (costs.back().empty()) throw support::bad_input(explain_infeasible(problem));
    time_unit += costs.back().minimum_cost() / times_wanted;
  }
  if (!(time_unit > 0)) time_unit = 1;

  constexpr double patience_s = 60;  // time limit of each CBC run
  const std::clock_t begin = std::clock();
  std::optional<Solution> best;
  for (bool first = true;; first = false) {
    const std::optional<Relaxed> relaxed = solve_relaxed(problem, costs, time_unit);
    if (!relaxed) break;
    std::optional<Solution> found = assignment(problem, costs, *relaxed);
    const bool better = found && (!best || found->time < best->time);
    if (better) best = std::move(found);
    const double time = best ? cycle_time(problem, *best) : infinity;
    if (relaxed->time >= time * (1 - 1e-10)) break;
    if (static_cast<double>(std::clock() - begin) > patience_s * CLOCKS_PER_SEC)
      throw Error(ErrorKind::system, {.what = "CBC did not find the best layout within a minute",
                                      .suggestion = "use dynamic programming (dp)"});
    bool refined = false;
    for (std::size_t k = 0; k < costs.size(); ++k)
      refined |= costs[k].refine(relaxed->components[k].processors, relaxed->components[k].time);
    if (!refined) break;
    if (better) {
      for (PiecewiseCost& cost : costs) cost.leave_out_above(time);
      time_unit = time / times_wanted;
    }
    if (first)
      for (PiecewiseCost& cost : costs) cost.cut_where_worst();
  }
  if (!best) throw support::bad_input(explain_infeasible(problem));
  return *best;
}

}  // namespace plimsoll::pelayout
