#include <algorithm>

#include <plimsoll/pelayout/solvers.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>

#include "pelayout/solvers/best_choice.hpp"
#include "pelayout/solvers/choice.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

std::size_t table_of(const LayoutProblem& problem, const std::string& component) {
  const auto found = std::ranges::find(problem.tables, component, &CostTable::component);
  PLIMSOLL_EXPECT(found != problem.tables.end());
  return static_cast<std::size_t>(found - problem.tables.begin());
}

std::size_t entry_of(const CostTable& table, std::int64_t processors) {
  const auto found = std::ranges::lower_bound(table.processors, processors);
  PLIMSOLL_EXPECT(found != table.processors.end() && *found == processors);
  return static_cast<std::size_t>(found - table.processors.begin());
}

DynamicProgram::DynamicProgram(LayoutProblem problem)
    : problem_(std::make_unique<LayoutProblem>(std::move(problem))) {
  PLIMSOLL_EXPECT(problem_->tables.size() == components(problem_->layout.expression).size());
  choice_ = !problem_->partitions.empty() ? make_partitioned_choice(*problem_)
            : problem_->exact_sum         ? make_exact_choice(*problem_)
                                          : make_staircase_choice(*problem_);
}

DynamicProgram::~DynamicProgram() = default;

std::optional<double> DynamicProgram::time(std::int64_t total) const {
  PLIMSOLL_EXPECT(total <= problem().total);
  const std::optional<double> time = choice_->time(total);
  if (!time) return std::nullopt;
  return *time * (1 + problem().layout.overhead) + problem().layout.wait;
}

Solution DynamicProgram::solve(std::int64_t total) const {
  if (!time(total)) {
    LayoutProblem asked = problem();
    asked.total = total;
    throw support::bad_input(explain_infeasible(asked));
  }
  return make_solution(problem(), settle_ties(problem(), choice_->choose(total), total));
}

}  // namespace plimsoll::pelayout
