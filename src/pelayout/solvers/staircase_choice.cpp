#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <optional>
#include <vector>

#include "pelayout/solvers/choice.hpp"
#include "pelayout/solvers/staircase.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

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

std::unique_ptr<Choice> make_staircase_choice(const LayoutProblem& problem) {
  return std::make_unique<StaircaseChoice>(problem);
}

}  // namespace plimsoll::pelayout
