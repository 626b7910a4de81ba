#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/format.hpp>

#include "pelayout/solvers/choice.hpp"
#include "pelayout/solvers/exact_sums.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

using Kind = LayoutExpression::Kind;

constexpr std::int64_t max_exact_units = 100'000;
/// Maximum size of all tables together: a few seconds of work.
constexpr std::int64_t max_exact_sums = 16 * max_exact_units;

class ExactChoice : public Choice {
 public:
  explicit ExactChoice(const LayoutProblem& problem)
      : problem_(problem), unit_(common_unit(problem.tables)), units_(problem.total / unit_) {
    const std::int64_t max_units = std::min(max_exact_units, max_exact_sums / std::ssize(problem.tables));
    if (units_ > max_units) {
      throw support::bad_input(
          fmt::format("too many units of processors for exact sums: {} for {} components, but at most {} are "
                      "supported",
                      support::format_count(static_cast<std::uint64_t>(units_)), problem.tables.size(),
                      support::format_count(static_cast<std::uint64_t>(max_units))),
          "", "set a block size, or remove exact sums");
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
    if (part.kind == Kind::component) {
      choice[part.table] = entry_of(problem_.tables[part.table], static_cast<std::int64_t>(units) * unit_);
    } else if (part.kind == Kind::sequence) {
      for (const Part& child : part.parts) choose(child, units, choice);
    } else {
      share_out(part, units, choice);
    }
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

std::unique_ptr<Choice> make_exact_choice(const LayoutProblem& problem) {
  return std::make_unique<ExactChoice>(problem);
}

}  // namespace plimsoll::pelayout
