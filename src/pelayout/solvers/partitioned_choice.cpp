#include <algorithm>
#include <array>

#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>

#include "pelayout/solvers/best_choice.hpp"
#include "pelayout/solvers/choice.hpp"
#include "pelayout/solvers/staircase_tree.hpp"
#include "pelayout/solvers/surface.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

using Kind = LayoutExpression::Kind;

/// Maximum number of steps of all surfaces: a gigabyte.
constexpr std::size_t max_steps = 60'000'000;

/// Solves the problem part by part. A part that uses only one kind of nodes is solved as without kinds.
class PartitionedChoice : public Choice {
 public:
  explicit PartitionedChoice(const LayoutProblem& problem)
      : problem_(problem),
        total_{problem.partitions[0].total(), problem.partitions[1].total()},
        root_(build(problem.layout.expression, Needed::on_total)) {}

  std::optional<double> time(std::int64_t total) const override {
    if (total != problem_.total) return std::nullopt;
    const Staircase* const row = root_.surface.row(total_[0]);
    const auto step = row == nullptr ? std::nullopt : row->step(total_[1]);
    return step ? std::optional(row->time[*step]) : std::nullopt;
  }

  std::vector<std::size_t> choose(std::int64_t) const override {
    std::vector<std::size_t> choice(problem_.tables.size());
    choose(root_, total_, choice);
    return choice;
  }

 private:
  struct Part {
    Kind kind = Kind::component;
    Surface surface = {};
    std::unique_ptr<StaircaseTree> tree = {};  // of a part that uses only one kind of nodes
    std::size_t partition = 0;                 // kind of nodes of `tree` or of the spanning component
    std::vector<Part> parts = {};
    std::optional<std::size_t> spanning_table = {};  // table of the component that contains the others
  };

  /// Returns the kind of nodes that all components of a part use; empty if they use both.
  std::optional<std::size_t> only_partition(const LayoutExpression& part) const {
    if (part.kind == Kind::component) return problem_.tables[table_of(problem_, part.component)].partition;
    const auto first = only_partition(part.parts.front());
    const auto is_other = [&](const LayoutExpression& child) { return only_partition(child) != first; };
    return std::ranges::any_of(part.parts, is_other) ? std::nullopt : first;
  }

  /// Processors for which the time of a part is needed: the root and parts that use the same processors only
  /// run on the total.
  enum class Needed { everywhere, on_total };

  Part build(const LayoutExpression& expression, Needed needed) {
    const auto partition = only_partition(expression);
    Part part = partition                           ? of_one_kind(expression, *partition)
                : expression.kind == Kind::sequence ? sequence(expression, needed)
                                                    : concurrent(expression, needed);
    steps_ += part.surface.steps();
    if (steps_ > max_steps) throw too_many_steps(static_cast<double>(steps_), max_steps);
    return part;
  }

  Part of_one_kind(const LayoutExpression& expression, std::size_t partition) const {
    Part part{.partition = partition};
    part.tree = std::make_unique<StaircaseTree>(problem_, expression, total_[partition]);
    part.surface = surface_of(part.tree->stairs(), partition);
    return part;
  }

  Part sequence(const LayoutExpression& expression, Needed needed) {
    Part part{.kind = Kind::sequence};
    const auto spanning = problem_.layout.spanning_part(expression);
    if (spanning) needed = Needed::everywhere;
    for (std::size_t k = 0; k < expression.parts.size(); ++k) {
      if (k == spanning) {
        part.spanning_table = table_of(problem_, expression.parts[k].component);
        part.partition = problem_.tables[*part.spanning_table].partition;
      } else {
        part.parts.push_back(build(expression.parts[k], needed));
      }
    }
    const std::vector<const Surface*> surfaces = surfaces_of(part);
    if (!part.spanning_table)
      part.surface = in_sequence(surfaces);
    else
      part.surface = part.partition == 0 ? within_first(*part.spanning_table, surfaces)
                                         : within_second(*part.spanning_table, surfaces);
    return part;
  }

  static std::vector<const Surface*> surfaces_of(const Part& part) {
    std::vector<const Surface*> surfaces;
    for (const Part& child : part.parts) surfaces.push_back(&child.surface);
    return surfaces;
  }

  /// Combines a component on the first kind of nodes with others that stay on its processors of that kind.
  Surface within_first(std::size_t table, std::span<const Surface* const> others) const {
    const CostTable& spanning = problem_.tables[table];
    Surface surface;
    for (std::size_t k = 0; k < spanning.size(); ++k) {
      const auto rows = rows_at(others, spanning.processors[k]);
      if (rows.empty()) continue;
      Staircase row = pelayout::in_sequence(rows);
      for (double& time : row.time) time += spanning.cost[k];
      surface.add(spanning.processors[k], std::move(row));
    }
    return surface;
  }

  /// The same for a component on the second kind of nodes.
  Surface within_second(std::size_t table, std::span<const Surface* const> others) const {
    Surface surface;
    for (const std::int64_t processors : all_steps(others))
      if (const auto rows = rows_at(others, processors); !rows.empty())
        surface.add(processors, in_sequence_within(problem_.tables[table], rows));
    return surface;
  }

  /// Combines the parts that use both kinds of nodes one by one, then all others of each kind together.
  Part concurrent(const LayoutExpression& expression, Needed needed) {
    std::array<LayoutExpression, 2> of_one;
    std::vector<Part> parts;
    std::vector<const LayoutExpression*> mixed;
    for (const LayoutExpression& child : expression.parts)
      if (const auto partition = only_partition(child))
        of_one[*partition].parts.push_back(child);
      else
        mixed.push_back(&child);
    for (const LayoutExpression* child : mixed) parts.push_back(build(*child, Needed::everywhere));
    for (LayoutExpression& group : of_one) {
      group.kind = Kind::side_by_side;
      if (group.parts.size() == 1) group = LayoutExpression(group.parts.front());
      if (group.kind == Kind::component || !group.parts.empty())
        parts.push_back(build(group, Needed::everywhere));
    }
    Part all = std::move(parts.front());
    for (std::size_t k = 1; k < parts.size(); ++k) {
      Part pair{.kind = Kind::side_by_side};
      const bool is_whole = k + 1 == parts.size() && needed == Needed::on_total;
      pair.surface = is_whole ? side_by_side_on(all.surface, parts[k].surface, total_)
                              : side_by_side(all.surface, parts[k].surface, total_);
      pair.parts.push_back(std::move(all));
      pair.parts.push_back(std::move(parts[k]));
      all = std::move(pair);
    }
    return all;
  }

  void choose(const Part& part, const Processors& processors, std::vector<std::size_t>& choice) const {
    if (part.tree != nullptr)
      part.tree->choose(processors[part.partition], choice);
    else if (part.kind == Kind::side_by_side)
      share_out(part, processors, choice);
    else
      choose_sequence(part, processors, choice);
  }

  void choose_sequence(const Part& part, Processors processors, std::vector<std::size_t>& choice) const {
    if (part.spanning_table) {
      const std::size_t entry = spanning_entry(part, processors);
      choice[*part.spanning_table] = entry;
      processors[part.partition] = problem_.tables[*part.spanning_table].processors[entry];
    }
    for (const Part& child : part.parts) choose(child, processors, choice);
  }

  /// Returns the entry of a spanning component that gives the minimum time.
  std::size_t spanning_entry(const Part& part, const Processors& processors) const {
    const CostTable& table = problem_.tables[*part.spanning_table];
    if (part.partition == 1) return entry_of(table, part.surface.row(processors[0])->useful(processors[1]));
    const std::vector<const Surface*> others = surfaces_of(part);
    std::optional<std::size_t> best;
    double minimum = 0;
    for (std::size_t k = 0; k < table.size() && table.processors[k] <= processors[0]; ++k) {
      const auto rows = rows_at(others, table.processors[k]);
      if (rows.empty()) continue;
      const Staircase rest = pelayout::in_sequence(rows);
      if (const auto step = rest.step(processors[1]);
          step && (!best || table.cost[k] + rest.time[*step] < minimum)) {
        best = k;
        minimum = table.cost[k] + rest.time[*step];
      }
    }
    PLIMSOLL_ENSURE(best);
    return *best;
  }

  /// Assigns to two concurrent parts processors with which both meet the time limit. Remaining processors go
  /// to the slower part first.
  void share_out(const Part& part, const Processors& processors, std::vector<std::size_t>& choice) const {
    const Surface& one = part.parts[0].surface;
    const Surface& other = part.parts[1].surface;
    const double limit = part.surface.row(processors[0])->time_on(processors[1]);
    for (std::size_t i = 0; i < one.at.size() && one.at[i] <= processors[0]; ++i)
      for (std::size_t j = 0; j < other.at.size() && one.at[i] + other.at[j] <= processors[0]; ++j) {
        if (one.rows[i].time.back() > limit || other.rows[j].time.back() > limit) continue;
        const Processors own = {one.at[i], one.rows[i].processors_within(limit)};
        const Processors others = {other.at[j], other.rows[j].processors_within(limit)};
        if (own[1] + others[1] > processors[1]) continue;
        const bool is_slower = one.rows[i].time_on(own[1]) > other.rows[j].time_on(others[1]);
        choose_pair(part, {own, others}, is_slower ? 0 : 1, processors, choice);
        return;
      }
    PLIMSOLL_ENSURE(false);
  }

  /// Chooses for two concurrent parts with the given minima. The slower one gets the processors that it can
  /// use, and the other one the rest.
  void choose_pair(const Part& part, std::array<Processors, 2> shares, std::size_t slower,
                   const Processors& processors, std::vector<std::size_t>& choice) const {
    const Surface& surface = part.parts[slower].surface;
    Processors& own = shares[slower];
    Processors& others = shares[1 - slower];
    const auto step = std::ranges::upper_bound(surface.at, processors[0] - others[0]) - 1;
    own[0] = *step;
    own[1] = surface.row(own[0])->useful(processors[1] - others[1]);
    for (std::size_t kind = 0; kind < 2; ++kind) others[kind] = processors[kind] - own[kind];
    choose(part.parts[0], shares[0], choice);
    choose(part.parts[1], shares[1], choice);
  }

  const LayoutProblem& problem_;
  Processors total_;
  std::size_t steps_ = 0;
  Part root_;
};

}  // namespace

std::unique_ptr<Choice> make_partitioned_choice(const LayoutProblem& problem) {
  return std::make_unique<PartitionedChoice>(problem);
}

}  // namespace plimsoll::pelayout
