#include <algorithm>

#include <plimsoll/pelayout/solvers.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>

#include "pelayout/solvers/choice.hpp"
#include "pelayout/solvers/ties.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

std::size_t entry_of(const CostTable& table, std::int64_t processors) {
  const auto found = std::ranges::lower_bound(table.processors, processors);
  PLIMSOLL_EXPECT(found != table.processors.end() && *found == processors);
  return static_cast<std::size_t>(found - table.processors.begin());
}

class DynamicProgram::Implementation {
 public:
  explicit Implementation(LayoutProblem given) : problem(std::move(given)) {
    PLIMSOLL_EXPECT(problem.tables.size() == components(problem.layout.expression).size());
    choice = problem.exact_sum ? make_exact_choice(problem) : make_staircase_choice(problem);
  }

  LayoutProblem problem;
  std::unique_ptr<Choice> choice;
};

DynamicProgram::DynamicProgram(LayoutProblem problem)
    : implementation_(std::make_unique<Implementation>(std::move(problem))) {}
DynamicProgram::DynamicProgram(DynamicProgram&&) noexcept = default;
DynamicProgram& DynamicProgram::operator=(DynamicProgram&&) noexcept = default;
DynamicProgram::~DynamicProgram() = default;

const LayoutProblem& DynamicProgram::problem() const {
  return implementation_->problem;
}

std::optional<double> DynamicProgram::time(std::int64_t total) const {
  PLIMSOLL_EXPECT(total <= problem().total);
  const std::optional<double> time = implementation_->choice->time(total);
  if (!time) return std::nullopt;
  return *time * (1 + problem().layout.overhead) + problem().layout.wait;
}

Solution DynamicProgram::solve(std::int64_t total) const {
  if (!time(total)) {
    LayoutProblem asked = problem();
    asked.total = total;
    throw support::bad_input(explain_infeasible(asked));
  }
  return make_solution(problem(), settle_ties(problem(), implementation_->choice->choose(total), total));
}

}  // namespace plimsoll::pelayout
