#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <plimsoll/pelayout/solvers.hpp>
#include <plimsoll/support/contract.hpp>

#include "pelayout/solvers/choice.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Finds the minimum time of a layout expression for every total up to the problem's, and the table entries
/// that reach it. The problem must outlive this object.
class Choice {
 public:
  virtual ~Choice() = default;
  /// Returns the time without the layout's overhead and wait; empty if infeasible.
  virtual std::optional<double> time(std::int64_t total) const = 0;
  /// Returns an entry for each table. The total must be feasible.
  virtual std::vector<std::size_t> choose(std::int64_t total) const = 0;
};

namespace {

/// Returns the entry of a table with this processor count, which must exist.
std::size_t entry_of(const CostTable& table, std::int64_t processors) {
  const auto found = std::ranges::lower_bound(table.processors, processors);
  PLIMSOLL_EXPECT(found != table.processors.end() && *found == processors);
  return static_cast<std::size_t>(found - table.processors.begin());
}

/// Minimum time as a function of the processor count. It falls at each step and is constant between steps.
struct Staircase {
  std::vector<std::int64_t> at;  ///< first processor count of each step, ascending
  std::vector<double> time;      ///< time of each step, descending

  Staircase() = default;
  /// Creates an empty staircase with memory for so many steps.
  explicit Staircase(std::size_t steps) {
    at.reserve(steps);
    time.reserve(steps);
  }
  bool empty() const { return at.empty(); }
  /// Returns the step for a processor count; empty below the first. O(log steps).
  std::optional<std::size_t> step(std::int64_t processors) const {
    const auto after = std::ranges::upper_bound(at, processors);
    if (after == at.begin()) return std::nullopt;
    return static_cast<std::size_t>(after - at.begin()) - 1;
  }
  /// Returns the processors that are useful of a number of processors, which must be feasible.
  std::int64_t useful(std::int64_t processors) const { return at[*step(processors)]; }
  /// Returns the time on a number of processors, which must be feasible.
  double time_on(std::int64_t processors) const { return time[*step(processors)]; }
  /// Returns the minimum number of processors for at most this time, which must exist. O(log steps).
  std::int64_t processors_within(double limit) const {
    const auto found = std::ranges::lower_bound(time, limit, std::greater());
    PLIMSOLL_ENSURE(found != time.end());
    return at[static_cast<std::size_t>(found - time.begin())];
  }
  /// Adds a step if it reduces the time.
  void add(std::int64_t processors, double its_time) {
    if (!empty() && !(its_time < time.back())) return;
    at.push_back(processors);
    time.push_back(its_time);
  }
};

/// Returns the staircase of a table, made from its entries that cost less than all previous entries.
/// O(entries).
Staircase staircase_of(const CostTable& table) {
  Staircase stairs(table.size());
  for (std::size_t k = 0; k < table.size(); ++k) stairs.add(table.processors[k], table.cost[k]);
  return stairs;
}

std::size_t steps_of(std::span<const Staircase* const> parts) {
  std::size_t steps = 0;
  for (const Staircase* part : parts) steps += part->at.size();
  return steps;
}

/// Combines sequential parts on the same processors: times are added. O(steps x parts).
Staircase in_sequence(std::span<const Staircase* const> parts) {
  Staircase stairs(steps_of(parts));
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
    stairs.add(processors, time);
    processors = next;
  }
  return stairs;
}

/// Combines sequential parts within the processors of the component of `table`; `others` run before and after
/// it. O(entries + steps x parts).
Staircase in_sequence_within(const CostTable& table, std::span<const Staircase* const> others) {
  Staircase stairs(table.size());
  const Staircase rest = in_sequence(others);
  std::size_t step = 0;
  for (std::size_t k = 0; k < table.size(); ++k) {
    while (step < rest.at.size() && rest.at[step] <= table.processors[k]) ++step;
    if (step > 0) stairs.add(table.processors[k], table.cost[k] + rest.time[step - 1]);
  }
  return stairs;
}

/// Combines concurrent parts within `total` processors; the slowest part determines the time. Only a step of
/// the slowest part can reduce the time, so visiting all steps once finds the minimum number of processors
/// for each time. O(steps x parts).
Staircase side_by_side(std::span<const Staircase* const> parts, std::int64_t total) {
  Staircase stairs(steps_of(parts));
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
  static std::vector<std::int64_t> share_out(const Part& part, std::int64_t processors) {
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

  const LayoutProblem& problem_;
  Part root_;
};

constexpr double never = std::numeric_limits<double>::infinity();

/// Returns the unit of exact sums: the GCD of all processor counts of the tables.
std::int64_t common_unit(std::span<const CostTable> tables) {
  std::int64_t unit = 0;
  for (const CostTable& table : tables)
    for (const std::int64_t processors : table.processors) {
      unit = std::gcd(unit, processors);
      if (unit == 1) return unit;
    }
  return std::max<std::int64_t>(unit, 1);
}

/// Returns the times of a table for 0 to `units` units.
ExactTimes exact_times(const CostTable& table, std::int64_t unit, std::int64_t units) {
  ExactTimes times(static_cast<std::size_t>(units) + 1, never);
  for (std::size_t k = 0; k < table.size(); ++k) {
    const std::int64_t at = table.processors[k] / unit;
    if (at > units) break;
    times[static_cast<std::size_t>(at)] = std::min(times[static_cast<std::size_t>(at)], table.cost[k]);
  }
  return times;
}

/// Combines two sequential parts on the same processors.
ExactTimes add_sequential(ExactTimes first, const ExactTimes& second) {
  PLIMSOLL_EXPECT(first.size() == second.size());
  std::ranges::transform(first, second, first.begin(), std::plus());
  return first;
}

constexpr std::int64_t max_exact_units = 100'000;
/// Maximum size of all tables together: a few seconds of work.
constexpr std::int64_t max_exact_sums = 16 * max_exact_units;

class ExactChoice : public Choice {
 public:
  explicit ExactChoice(const LayoutProblem& problem)
      : problem_(problem), unit_(common_unit(problem.tables)), units_(problem.total / unit_) {
    const std::int64_t max_units = std::min(max_exact_units, max_exact_sums / std::ssize(problem.tables));
    if (units_ > max_units)
      throw support::bad_input(
          fmt::format("too many units of processors for exact sums: {} for {} components, but at most {} are "
                      "supported",
                      count_text(units_), problem.tables.size(), count_text(max_units)),
          "", "set a block size, or remove exact sums");
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

 private:
  struct Part {
    Kind kind = Kind::component;
    std::size_t table = 0;
    std::vector<ExactTimes> up_to;  // times of the first 1, 2, ... parts together, up to all parts
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
                           : part.kind == Kind::sequence ? add_sequential(part.up_to.back(), last)
                                                         : add_concurrent(part.up_to.back(), last));
    }
    return part;
  }

  void choose(const Part& part, std::size_t units, std::vector<std::size_t>& choice) const {
    if (part.kind == Kind::component)
      choice[part.table] = entry_of(problem_.tables[part.table], static_cast<std::int64_t>(units) * unit_);
    else if (part.kind == Kind::sequence)
      for (const Part& child : part.parts) choose(child, units, choice);
    else
      share_out(part, units, choice);
  }

  /// Assigns processors from the last part to the first. Each count must leave enough processors for the
  /// previous parts.
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

ExactTimes add_concurrent(const ExactTimes& first, const ExactTimes& second) {
  PLIMSOLL_EXPECT(first.size() == second.size());
  struct Way {
    double time;
    std::size_t units;
    bool of_first;
  };
  std::vector<Way> ways;
  for (std::size_t units = 0; units < first.size(); ++units) {
    if (std::isfinite(first[units])) ways.push_back({first[units], units, true});
    if (std::isfinite(second[units])) ways.push_back({second[units], units, false});
  }
  std::ranges::stable_sort(ways, {}, &Way::time);
  // Process entries in the order of their times. A sum takes as long as the slower of its two entries, so it
  // is found when that entry is processed.
  ExactTimes sum(first.size(), never);
  UnitSet made(first.size() - 1), from_first(first.size() - 1), from_second(first.size() - 1);
  for (const Way& way : ways) {
    (way.of_first ? from_first : from_second).insert(way.units);
    made.insert_sums(way.of_first ? from_second : from_first, way.units,
                     [&](std::size_t units) { sum[units] = way.time; });
  }
  return sum;
}

DynamicProgram::DynamicProgram(LayoutProblem problem)
    : problem_(std::make_unique<LayoutProblem>(std::move(problem))) {
  PLIMSOLL_EXPECT(problem_->tables.size() == components(problem_->layout.expression).size());
  if (problem_->exact_sum)
    choice_ = std::make_unique<ExactChoice>(*problem_);
  else
    choice_ = std::make_unique<StaircaseChoice>(*problem_);
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
