#include "pelayout/solvers/ties.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <plimsoll/support/contract.hpp>

namespace plimsoll::inline v0_1::pelayout {

namespace {

using Kind = LayoutExpression::Kind;

/// Returns the last entry after `entry` with the same cost, at most `room` processors, and at most the
/// measured ones.
std::size_t last_tie(const CostTable& table, std::size_t entry, std::int64_t room) {
  const std::int64_t limit = table.measured ? std::min(room, table.measured->max) : room;
  while (entry + 1 < table.size() && table.cost[entry + 1] == table.cost[entry] &&
         table.processors[entry + 1] <= limit)
    ++entry;
  return entry;
}

class TieSettler {
 public:
  TieSettler(const LayoutProblem& problem, std::vector<std::size_t>& choice)
      : problem_(problem), choice_(choice) {}

  /// Settles the ties of a part that has `room` processors. Returns the number of processors that it uses.
  std::int64_t settle(const LayoutExpression& part, std::int64_t room) {
    if (part.kind == Kind::component) {
      const std::size_t k = table_of(part);
      choice_[k] = last_tie(problem_.tables[k], choice_[k], room);
      return width(part);
    }
    if (part.kind == Kind::side_by_side) return settle_concurrent(part, room);
    if (const std::optional<std::size_t> spanning = problem_.layout.spanning_part(part))
      room = settle(part.parts[*spanning], room);
    for (const LayoutExpression& child : part.parts) settle(child, room);
    return width(part);
  }

 private:
  std::int64_t settle_concurrent(const LayoutExpression& part, std::int64_t room) {
    std::int64_t spare = room - width(part);
    for (const LayoutExpression& child : part.parts) {
      const std::int64_t before = width(child);
      spare -= settle(child, before + spare) - before;
    }
    return room - spare;
  }

  std::int64_t width(const LayoutExpression& part) const {
    if (part.kind == Kind::component) {
      const std::size_t k = table_of(part);
      return problem_.tables[k].processors[choice_[k]];
    }
    std::int64_t width_of_all = 0;
    for (const LayoutExpression& child : part.parts)
      width_of_all =
          part.kind == Kind::sequence ? std::max(width_of_all, width(child)) : width_of_all + width(child);
    return width_of_all;
  }

  std::size_t table_of(const LayoutExpression& component) const {
    const auto found = std::ranges::find(problem_.tables, component.component, &CostTable::component);
    PLIMSOLL_EXPECT(found != problem_.tables.end());
    return static_cast<std::size_t>(found - problem_.tables.begin());
  }

  const LayoutProblem& problem_;
  std::vector<std::size_t>& choice_;
};

}  // namespace

std::vector<std::size_t> settle_ties(const LayoutProblem& problem, std::vector<std::size_t> choice,
                                     std::int64_t total) {
  if (!problem.exact_sum) TieSettler(problem, choice).settle(problem.layout.expression, total);
  return choice;
}

}  // namespace plimsoll::pelayout
