#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include <plimsoll/pelayout/solution.hpp>
#include <plimsoll/pelayout/solvers.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>

#include "pelayout/solvers/choice.hpp"
#include "pelayout/solvers/ties.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

/// Minimum time as a function of the processor count. It falls at each step and is constant between steps.
struct Staircase {
  std::vector<std::int64_t> at;  ///< first processor count of each step, ascending
  std::vector<double> time;      ///< time of each step, descending

  bool empty() const { return at.empty(); }
  /// Returns the step for a processor count; empty below the first. O(log steps).
  std::optional<std::size_t> step(std::int64_t processors) const;
  /// Returns the first step with at most this time, which must exist. O(log steps).
  std::size_t first_within(double limit) const;
  void add(std::int64_t processors, double its_time) {
    at.push_back(processors);
    time.push_back(its_time);
  }
};

std::optional<std::size_t> Staircase::step(std::int64_t processors) const {
  const auto after = std::ranges::upper_bound(at, processors);
  if (after == at.begin()) return std::nullopt;
  return static_cast<std::size_t>(after - at.begin()) - 1;
}

std::size_t Staircase::first_within(double limit) const {
  const auto found = std::ranges::lower_bound(time, limit, std::greater());
  PLIMSOLL_ENSURE(found != time.end());
  return static_cast<std::size_t>(found - time.begin());
}

/// Returns the staircase of a table, made from its entries that cost less than all previous entries.
/// O(entries).
Staircase staircase_of(const CostTable& table) {
  Staircase stairs;
  for (std::size_t k = 0; k < table.size(); ++k)
    if (stairs.empty() || table.cost[k] < stairs.time.back()) stairs.add(table.processors[k], table.cost[k]);
  return stairs;
}

/// Combines sequential parts on the same processors: times are added. O(steps x parts).
Staircase in_sequence(std::span<const Staircase* const> parts) {
  Staircase stairs;
  std::vector<std::size_t> step(parts.size(), 0);
  std::int64_t processors = 0;
  for (const Staircase* part : parts) {
    if (part->empty()) return {};
    processors = std::max(processors, part->at.front());
  }
  while (processors < std::numeric_limits<std::int64_t>::max()) {
    double time = 0;
    std::int64_t next = std::numeric_limits<std::int64_t>::max();
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const std::vector<std::int64_t>& at = parts[k]->at;
      while (step[k] + 1 < at.size() && at[step[k] + 1] <= processors) ++step[k];
      time += parts[k]->time[step[k]];
      if (step[k] + 1 < at.size()) next = std::min(next, at[step[k] + 1]);
    }
    if (stairs.empty() || time < stairs.time.back()) stairs.add(processors, time);
    processors = next;
  }
  return stairs;
}

/// Combines sequential parts within the processors of the component of `table`; `others` run before and after
/// it. O(entries + steps x parts).
Staircase in_sequence_within(const CostTable& table, std::span<const Staircase* const> others) {
  Staircase stairs;
  const Staircase rest = in_sequence(others);
  std::size_t step = 0;
  for (std::size_t k = 0; k < table.size(); ++k) {
    while (step < rest.at.size() && rest.at[step] <= table.processors[k]) ++step;
    if (step == 0) continue;
    const double time = table.cost[k] + rest.time[step - 1];
    if (stairs.empty() || time < stairs.time.back()) stairs.add(table.processors[k], time);
  }
  return stairs;
}

/// Combines concurrent parts within `total` processors; the slowest part determines the time. Only a step of
/// the slowest part can reduce the time, so visiting all steps once finds the minimum number of processors
/// for each time. O(steps x parts).
Staircase side_by_side(std::span<const Staircase* const> parts, std::int64_t total) {
  Staircase stairs;
  std::vector<std::size_t> step(parts.size(), 0);
  std::int64_t processors = 0;
  for (const Staircase* part : parts) {
    if (part->empty()) return {};
    processors += part->at.front();
  }
  while (processors <= total) {
    double slowest = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) slowest = std::max(slowest, parts[k]->time[step[k]]);
    stairs.add(processors, slowest);
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (parts[k]->time[step[k]] < slowest) continue;
      if (step[k] + 1 == parts[k]->at.size()) return stairs;
      processors += parts[k]->at[step[k] + 1] - parts[k]->at[step[k]];
      ++step[k];
    }
  }
  return stairs;
}

using Kind = LayoutExpression::Kind;

class StaircaseChoice : public Choice {
 public:
  explicit StaircaseChoice(const LayoutProblem& problem) : problem_(problem) {
    std::size_t next = 0;
    root_ = build(problem.layout.expression, next);
  }

  std::optional<double> time(std::int64_t total) const override {
    const auto step = root_.stairs.step(total);
    return step ? std::optional(root_.stairs.time[*step]) : std::nullopt;
  }

  std::vector<std::size_t> choose(std::int64_t total) const override {
    std::vector<std::size_t> choice(problem_.tables.size());
    choose(root_, total, choice);
    return choice;
  }

 private:
  struct Part {
    Kind kind = Kind::component;
    std::size_t table = 0;
    Staircase stairs;
    std::vector<Part> parts;
    std::optional<std::size_t> spanning = {};  // part of a sequence whose processors contain the others
  };

  Part build(const LayoutExpression& expression, std::size_t& next) const {
    Part part{expression.kind, next, {}, {}};
    if (part.kind == Kind::component) {
      part.stairs = staircase_of(problem_.tables[next++]);
      return part;
    }
    for (const LayoutExpression& child : expression.parts) part.parts.push_back(build(child, next));
    std::vector<const Staircase*> stairs;
    for (const Part& child : part.parts) stairs.push_back(&child.stairs);
    part.spanning = problem_.layout.spanning_part(expression);
    if (part.spanning) {
      stairs.erase(stairs.begin() + static_cast<std::ptrdiff_t>(*part.spanning));
      part.stairs = in_sequence_within(problem_.tables[part.parts[*part.spanning].table], stairs);
    } else {
      part.stairs = part.kind == Kind::sequence ? in_sequence(stairs) : side_by_side(stairs, problem_.total);
    }
    return part;
  }

  void choose(const Part& part, std::int64_t processors, std::vector<std::size_t>& choice) const {
    if (part.kind == Kind::component) {
      choice[part.table] =
          entry_of(problem_.tables[part.table], part.stairs.at[*part.stairs.step(processors)]);
    } else if (part.spanning) {
      const std::int64_t width = part.stairs.at[*part.stairs.step(processors)];
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
  static std::vector<std::int64_t> share_out(const Part& part, std::int64_t processors) {
    const double limit = part.stairs.time[*part.stairs.step(processors)];
    std::vector<std::int64_t> shares;
    for (const Part& child : part.parts) shares.push_back(child.stairs.at[child.stairs.first_within(limit)]);
    std::int64_t spare = processors - std::accumulate(shares.begin(), shares.end(), std::int64_t{0});
    std::vector<std::size_t> slowest_first(shares.size());
    std::iota(slowest_first.begin(), slowest_first.end(), std::size_t{0});
    std::ranges::stable_sort(slowest_first, std::greater(), [&](std::size_t k) {
      const Staircase& stairs = part.parts[k].stairs;
      return stairs.time[*stairs.step(shares[k])];
    });
    for (const std::size_t k : slowest_first) {
      const Staircase& stairs = part.parts[k].stairs;
      const std::int64_t useful = stairs.at[*stairs.step(shares[k] + spare)];
      spare -= useful - shares[k];
      shares[k] = useful;
    }
    return shares;
  }

  const LayoutProblem& problem_;
  Part root_;
};

}  // namespace

std::size_t entry_of(const CostTable& table, std::int64_t processors) {
  const auto found = std::ranges::lower_bound(table.processors, processors);
  PLIMSOLL_EXPECT(found != table.processors.end() && *found == processors);
  return static_cast<std::size_t>(found - table.processors.begin());
}

class DynamicProgram::Implementation {
 public:
  explicit Implementation(LayoutProblem given) : problem(std::move(given)) {
    PLIMSOLL_EXPECT(problem.tables.size() == components(problem.layout.expression).size());
    choice = problem.exact_sum ? make_exact_choice(problem) : std::make_unique<StaircaseChoice>(problem);
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
