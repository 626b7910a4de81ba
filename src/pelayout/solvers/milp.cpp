#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <numeric>

#include <plimsoll/pelayout/solvers.hpp>
#include <plimsoll/support/error.hpp>

#include "pelayout/solvers/choice.hpp"
#include "pelayout/solvers/piecewise_cost.hpp"
#include "pelayout/solvers/ties.hpp"

#ifdef PLIMSOLL_WITH_CBC

#include <Cbc_C_Interface.h>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

class MixedIntegerProgram::Implementation {
 public:
  Implementation() : model_(Cbc_newModel()) {
    Cbc_setLogLevel(model_.get(), 0);
    // Tighten CBC's tolerances: by default, values that differ by 1e-5 are equal, and values within 1e-6 of
    // an integer are integers. CBC's cuts lose solutions with such tight tolerances, and are therefore off.
    // The other disabled features cost more time than they save, and may trigger assertions in Clp.
    for (const auto& [name, value] : {std::pair{"seconds", "60"},
                                      {"allowableGap", "0"},
                                      {"ratioGap", "0"},
                                      {"increment", "1e-9"},
                                      {"integerTolerance", "1e-9"},
                                      {"primalTolerance", "1e-9"},
                                      {"dualTolerance", "1e-9"},
                                      {"preprocess", "off"},
                                      {"presolve", "off"},
                                      {"heuristicsOnOff", "off"},
                                      {"cutsOnOff", "off"}})
      Cbc_setParameter(model_.get(), name, value);
  }

  int add_variable(double minimum, double maximum, bool integer) {
    Cbc_addCol(model_.get(), "x", minimum, maximum, 0, integer ? 1 : 0, 0, nullptr, nullptr);
    return n_variables_++;
  }

  void add_constraint(const Terms& terms, Relation relation, double bound) {
    columns_.clear();
    factors_.clear();
    for (const Term& term : terms) {
      columns_.push_back(term.variable);
      factors_.push_back(term.factor);
    }
    const char sense = relation == Relation::at_most ? 'L' : relation == Relation::at_least ? 'G' : 'E';
    Cbc_addRow(model_.get(), "c", static_cast<int>(terms.size()), columns_.data(), factors_.data(), sense,
               bound);
  }

  std::optional<std::vector<double>> minimise(const Terms& objective) {
    for (const Term& term : objective) Cbc_setObjCoeff(model_.get(), term.variable, term.factor);
    Cbc_solve(model_.get());
    if (Cbc_isProvenInfeasible(model_.get())) return std::nullopt;
    if (!Cbc_isProvenOptimal(model_.get()))
      throw Error(ErrorKind::system,
                  {.what = "CBC failed to solve the layout", .suggestion = "use dynamic programming (dp)"});
    const double* const values = Cbc_getColSolution(model_.get());
    return std::vector<double>(values, values + n_variables_);
  }

 private:
  struct Delete {
    void operator()(Cbc_Model* model) const { Cbc_deleteModel(model); }
  };
  std::unique_ptr<Cbc_Model, Delete> model_;
  int n_variables_ = 0;
  std::vector<int> columns_;
  std::vector<double> factors_;
};

bool MixedIntegerProgram::available() {
  return true;
}

MixedIntegerProgram::MixedIntegerProgram() : implementation_(std::make_unique<Implementation>()) {}

MixedIntegerProgram::~MixedIntegerProgram() = default;

int MixedIntegerProgram::add_variable(double minimum, double maximum) {
  return implementation_->add_variable(minimum, maximum, false);
}

int MixedIntegerProgram::add_integer(double minimum, double maximum) {
  return implementation_->add_variable(minimum, maximum, true);
}

void MixedIntegerProgram::add_constraint(const Terms& terms, Relation relation, double bound) {
  implementation_->add_constraint(terms, relation, bound);
}

std::optional<std::vector<double>> MixedIntegerProgram::minimise(const Terms& objective) {
  return implementation_->minimise(objective);
}

}  // namespace plimsoll::pelayout

#else

namespace plimsoll::PLIMSOLL_ABI::pelayout {

class MixedIntegerProgram::Implementation {};

bool MixedIntegerProgram::available() {
  return false;
}

MixedIntegerProgram::MixedIntegerProgram() {
  throw support::usage_error("Plimsoll was built without CBC", "use dynamic programming (dp)");
}

MixedIntegerProgram::~MixedIntegerProgram() = default;

int MixedIntegerProgram::add_variable(double, double) {
  return 0;
}

int MixedIntegerProgram::add_integer(double, double) {
  return 0;
}

void MixedIntegerProgram::add_constraint(const Terms&, Relation, double) {}

std::optional<std::vector<double>> MixedIntegerProgram::minimise(const Terms&) {
  return std::nullopt;
}

}  // namespace plimsoll::pelayout

#endif

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

using enum MixedIntegerProgram::Relation;

constexpr double no_bound = std::numeric_limits<double>::infinity();

/// Adds a layout expression to a mixed-integer linear program.
struct Formulation {
  const Layout& layout;
  MixedIntegerProgram program;
  MixedIntegerProgram::Relation sum;  ///< relation between the processors of a part and those available to it
  std::vector<PiecewiseCost::Variables> components;
  std::size_t n_placed = 0;  ///< number of components added so far

  /// Returns the processors and the time of a part.
  PiecewiseCost::Variables part(const LayoutExpression& expression) {
    if (expression.kind == LayoutExpression::Kind::component) return components[n_placed++];
    const bool in_sequence = expression.kind == LayoutExpression::Kind::sequence;
    Terms added;
    const int shared = program.add_variable(0, no_bound);
    const auto spanning = layout.spanning_part(expression);
    for (std::size_t k = 0; k < expression.parts.size(); ++k) {
      PiecewiseCost::Variables variables = part(expression.parts[k]);
      Terms& adds_up = in_sequence ? variables.time : variables.processors;
      Terms& side = in_sequence ? variables.processors : variables.time;
      added.insert(added.end(), adds_up.begin(), adds_up.end());
      side.push_back({shared, -1});
      program.add_constraint(side, k == spanning ? equal : in_sequence ? sum : at_most, 0);
    }
    return in_sequence ? PiecewiseCost::Variables{.processors = {{shared, 1}}, .time = added}
                       : PiecewiseCost::Variables{.processors = added, .time = {{shared, 1}}};
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
      .layout = problem.layout, .program = {}, .sum = problem.exact_sum ? equal : at_most, .components = {}};
  for (const PiecewiseCost& cost : costs)
    formulation.components.push_back(cost.add_to(formulation.program, unit, time_unit));
  const PiecewiseCost::Variables root = formulation.part(problem.layout.expression);
  formulation.program.add_constraint(root.processors, formulation.sum,
                                     static_cast<double>(problem.total) / static_cast<double>(unit));
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
  return MixedIntegerProgram::available();
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
    const double time = best ? cycle_time(problem, *best) : no_bound;
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
