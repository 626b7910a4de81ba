#include "pelayout/solvers/staircase_tree.hpp"

#include <algorithm>
#include <numeric>

#include "pelayout/solvers/best_choice.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

using Kind = LayoutExpression::Kind;

StaircaseTree::StaircaseTree(const LayoutProblem& problem, const LayoutExpression& expression,
                             std::int64_t total)
    : problem_(problem), total_(total), root_(build(expression)) {}

StaircaseTree::Part StaircaseTree::build(const LayoutExpression& expression) const {
  Part part{.kind = expression.kind};
  if (part.kind == Kind::component) {
    part.table = table_of(problem_, expression.component);
    part.stairs = staircase_of(problem_.tables[part.table]);
    return part;
  }
  for (const LayoutExpression& child : expression.parts) part.parts.push_back(build(child));
  std::vector<const Staircase*> stairs;
  for (const Part& child : part.parts) stairs.push_back(&child.stairs);
  part.spanning = problem_.layout.spanning_part(expression);
  if (part.spanning) {
    stairs.erase(stairs.begin() + static_cast<std::ptrdiff_t>(*part.spanning));
    part.stairs = in_sequence_within(problem_.tables[part.parts[*part.spanning].table], stairs);
  } else {
    part.stairs = part.kind == Kind::sequence ? in_sequence(stairs) : side_by_side(stairs, total_);
  }
  return part;
}

void StaircaseTree::choose(const Part& part, std::int64_t processors,
                           std::vector<std::size_t>& choice) const {
  if (part.kind == Kind::component) {
    choice[part.table] = entry_of(problem_.tables[part.table], part.stairs.useful(processors));
  } else if (part.spanning) {
    const std::int64_t width = part.stairs.useful(processors);
    for (const Part& child : part.parts) choose(child, width, choice);
    const std::size_t table = part.parts[*part.spanning].table;
    choice[table] = entry_of(problem_.tables[table], width);
  } else if (part.kind == Kind::sequence) {
    for (const Part& child : part.parts) choose(child, processors, choice);
  } else {
    const std::vector<std::int64_t> shares = share_out(part, processors);
    for (std::size_t k = 0; k < shares.size(); ++k) choose(part.parts[k], shares[k], choice);
  }
}

/// Assigns to each part the minimum number of processors for the time limit. Remaining processors go to the
/// slowest parts that can use them.
std::vector<std::int64_t> StaircaseTree::share_out(const Part& part, std::int64_t processors) {
  const double limit = part.stairs.time_on(processors);
  std::vector<std::int64_t> shares;
  for (const Part& child : part.parts) shares.push_back(child.stairs.processors_within(limit));
  std::int64_t spare = processors - std::accumulate(shares.begin(), shares.end(), std::int64_t{0});
  std::vector<std::size_t> slowest_first(shares.size());
  std::iota(slowest_first.begin(), slowest_first.end(), std::size_t{0});
  std::ranges::stable_sort(slowest_first, std::greater(),
                           [&](std::size_t k) { return part.parts[k].stairs.time_on(shares[k]); });
  for (const std::size_t k : slowest_first) {
    const std::int64_t useful = part.parts[k].stairs.useful(shares[k] + spare);
    spare -= useful - shares[k];
    shares[k] = useful;
  }
  return shares;
}

namespace {

class StaircaseChoice : public Choice {
 public:
  explicit StaircaseChoice(const LayoutProblem& problem)
      : n_tables_(problem.tables.size()), tree_(problem, problem.layout.expression, problem.total) {}

  std::optional<double> time(std::int64_t total) const override {
    const auto step = tree_.stairs().step(total);
    return step ? std::optional(tree_.stairs().time[*step]) : std::nullopt;
  }

  std::vector<std::size_t> choose(std::int64_t total) const override {
    std::vector<std::size_t> choice(n_tables_);
    tree_.choose(total, choice);
    return choice;
  }

 private:
  std::size_t n_tables_;
  StaircaseTree tree_;
};

}  // namespace

std::unique_ptr<Choice> make_staircase_choice(const LayoutProblem& problem) {
  return std::make_unique<StaircaseChoice>(problem);
}

}  // namespace plimsoll::pelayout
