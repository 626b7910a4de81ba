#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>

#include "pelayout/solvers/best_choice.hpp"
#include "pelayout/solvers/choice.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

using Kind = LayoutExpression::Kind;

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

std::unique_ptr<Choice> make_exact_choice(const LayoutProblem& problem) {
  return std::make_unique<ExactChoice>(problem);
}

}  // namespace plimsoll::pelayout
