#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include <plimsoll/pelayout/dynamic_programme.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/format.hpp>

#include "pelayout/solvers/exact_sums.hpp"
#include "pelayout/solvers/staircase.hpp"

namespace plimsoll::pelayout {

namespace {

using Kind = LayoutExpression::Kind;

constexpr std::int64_t max_exact_units = 100'000;
/// Of all parts together: what is a second's work or two.
constexpr std::int64_t max_exact_sums = 16 * max_exact_units;

/// Chooses the entry of each table, from left to right, for an expression.
class Choice {
 public:
  virtual ~Choice() = default;
  virtual std::optional<double> time(std::int64_t total) const = 0;
  virtual std::vector<std::size_t> choose(std::int64_t total) const = 0;
  virtual std::optional<std::int64_t> least_total() const = 0;
};

/// Parts may leave processors idle.
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

  std::optional<std::int64_t> least_total() const override {
    return root_.stairs.empty() ? std::nullopt : std::optional(root_.stairs.at.front());
  }

 private:
  struct Part {
    Kind kind = Kind::component;
    std::size_t table = 0;
    Staircase stairs;
    std::vector<Part> parts;
  };

  Part build(const LayoutExpression& expression, std::size_t& next) const {
    Part part{expression.kind, next, {}, {}};
    if (part.kind == Kind::component) {
      part.stairs = staircase_of(problem_.tables[next++]);
      return part;
    }
    std::vector<Staircase> stairs;
    for (const LayoutExpression& child : expression.parts) {
      part.parts.push_back(build(child, next));
      stairs.push_back(part.parts.back().stairs);
    }
    part.stairs = part.kind == Kind::sequence ? in_sequence(stairs) : side_by_side(stairs, problem_.total);
    return part;
  }

  void choose(const Part& part, std::int64_t processors, std::vector<std::size_t>& choice) const {
    if (part.kind == Kind::component) {
      const CostTable& table = problem_.tables[part.table];
      const std::int64_t count = part.stairs.at[*part.stairs.step(processors)];
      choice[part.table] = static_cast<std::size_t>(std::ranges::lower_bound(table.processors, count) -
                                                    table.processors.begin());
    } else if (part.kind == Kind::sequence) {
      for (const Part& child : part.parts) choose(child, processors, choice);
    } else {
      const std::vector<std::int64_t> shares = share_out(part, processors);
      for (std::size_t k = 0; k < shares.size(); ++k) choose(part.parts[k], shares[k], choice);
    }
  }

  /// Each part gets what it needs to be in time; what is left goes to the slower ones that can use it.
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

/// Parts fill their processors.
class ExactChoice : public Choice {
 public:
  explicit ExactChoice(const LayoutProblem& problem)
      : problem_(problem), unit_(common_unit(problem.tables)), units_(problem.total / unit_) {
    const std::int64_t most = std::min(max_exact_units, max_exact_sums / std::ssize(problem.tables));
    if (units_ > most) {
      throw support::bad_input(
          fmt::format("{} units of processors are too many for exact sums of {} components; {} are possible",
                      support::format_count(static_cast<std::uint64_t>(units_)), problem.tables.size(),
                      support::format_count(static_cast<std::uint64_t>(most))),
          "", "set a block size, or leave out --exact-sum");
    }
    std::size_t next = 0;
    root_ = build(problem.layout.expression, next);
  }

  std::optional<double> time(std::int64_t total) const override {
    if (total % unit_ != 0) return std::nullopt;
    const double time = times(root_)[static_cast<std::size_t>(total / unit_)];
    return std::isfinite(time) ? std::optional(time) : std::nullopt;
  }

  std::vector<std::size_t> choose(std::int64_t total) const override {
    std::vector<std::size_t> choice(problem_.tables.size());
    choose(root_, static_cast<std::size_t>(total / unit_), choice);
    return choice;
  }

  std::optional<std::int64_t> least_total() const override {
    const auto found = std::ranges::find_if(times(root_), [](double time) { return std::isfinite(time); });
    if (found == times(root_).end()) return std::nullopt;
    return (found - times(root_).begin()) * unit_;
  }

 private:
  struct Part {
    Kind kind = Kind::component;
    std::size_t table = 0;
    std::vector<ExactTimes> up_to;  // of the first 1, 2, ... parts together; the last is that of all
    std::vector<Part> parts;
  };

  static const ExactTimes& times(const Part& part) { return part.up_to.back(); }

  Part build(const LayoutExpression& expression, std::size_t& next) const {
    Part part{expression.kind, next, {}, {}};
    if (part.kind == Kind::component) {
      part.up_to.push_back(exact_times(problem_.tables[next++], unit_, units_));
      return part;
    }
    for (const LayoutExpression& child : expression.parts) {
      part.parts.push_back(build(child, next));
      const ExactTimes& last = times(part.parts.back());
      part.up_to.push_back(part.up_to.empty()            ? last
                           : part.kind == Kind::sequence ? add_after(part.up_to.back(), last)
                                                         : add_beside(part.up_to.back(), last));
    }
    return part;
  }

  void choose(const Part& part, std::size_t units, std::vector<std::size_t>& choice) const {
    if (part.kind == Kind::component) {
      const CostTable& table = problem_.tables[part.table];
      const std::int64_t count = static_cast<std::int64_t>(units) * unit_;
      choice[part.table] = static_cast<std::size_t>(std::ranges::lower_bound(table.processors, count) -
                                                    table.processors.begin());
    } else if (part.kind == Kind::sequence) {
      for (const Part& child : part.parts) choose(child, units, choice);
    } else {
      share_out(part, units, choice);
    }
  }

  /// From the last part back: its share is one with which all before it are in time too.
  void share_out(const Part& part, std::size_t units, std::vector<std::size_t>& choice) const {
    const double limit = times(part)[units];
    for (std::size_t k = part.parts.size() - 1; k > 0; --k) {
      const ExactTimes& before = part.up_to[k - 1];
      const ExactTimes& own = times(part.parts[k]);
      std::size_t share = 0;
      while (std::max(own[share], before[units - share]) > limit) ++share;
      choose(part.parts[k], share, choice);
      units -= share;
    }
    choose(part.parts.front(), units, choice);
  }

  const LayoutProblem& problem_;
  std::int64_t unit_;
  std::int64_t units_;
  Part root_;
};

}  // namespace

class DynamicProgramme::Implementation {
 public:
  explicit Implementation(LayoutProblem given) : problem(std::move(given)) {
    PLIMSOLL_EXPECT(problem.tables.size() == components(problem.layout.expression).size());
    if (problem.exact_sum)
      choice = std::make_unique<ExactChoice>(problem);
    else
      choice = std::make_unique<StaircaseChoice>(problem);
  }

  LayoutProblem problem;
  std::unique_ptr<Choice> choice;
};

DynamicProgramme::DynamicProgramme(LayoutProblem problem)
    : implementation_(std::make_unique<Implementation>(std::move(problem))) {}
DynamicProgramme::DynamicProgramme(DynamicProgramme&&) noexcept = default;
DynamicProgramme& DynamicProgramme::operator=(DynamicProgramme&&) noexcept = default;
DynamicProgramme::~DynamicProgramme() = default;

const LayoutProblem& DynamicProgramme::problem() const {
  return implementation_->problem;
}

std::optional<double> DynamicProgramme::time(std::int64_t total) const {
  PLIMSOLL_EXPECT(total <= problem().total);
  const std::optional<double> time = implementation_->choice->time(total);
  if (!time) return std::nullopt;
  return *time * (1 + problem().layout.overhead) + problem().layout.wait;
}

Solution DynamicProgramme::solve(std::int64_t total) const {
  if (!time(total)) {
    LayoutProblem asked = problem();
    asked.total = total;
    throw support::bad_input(explain_infeasible(asked));
  }
  return make_solution(problem(), implementation_->choice->choose(total));
}

std::optional<std::int64_t> DynamicProgramme::least_total() const {
  return implementation_->choice->least_total();
}

}  // namespace plimsoll::pelayout
