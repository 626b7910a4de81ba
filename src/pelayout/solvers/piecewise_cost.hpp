#pragma once

#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// A variable with a factor; several terms form a sum.
struct Term {
  int variable = 0;
  double factor = 1;
};
using Terms = std::vector<Term>;

/// A mixed-integer linear program that CBC solves to optimality, without output and files.
class MixedIntegerProgram {
 public:
  enum class Relation { at_most, at_least, equal };

  static bool available();

  /// Throws Error (usage) if Plimsoll was built without CBC.
  MixedIntegerProgram();
  ~MixedIntegerProgram();

  int add_variable(double minimum, double maximum);
  int add_integer(double minimum, double maximum);
  /// Adds a constraint. A variable may occur in `terms` only once.
  void add_constraint(const Terms& terms, Relation relation, double bound);
  /// Returns the value of each variable where `objective` is minimal, or nothing if no solution exists. Call
  /// it once. Throws Error (system) if CBC fails.
  std::optional<std::vector<double>> minimise(const Terms& objective);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

inline double value(const Terms& terms, const std::vector<double>& of_variables) {
  double sum = 0;
  for (const Term& term : terms) sum += term.factor * of_variables[static_cast<std::size_t>(term.variable)];
  return sum;
}

/// Costs of a component for a linear program. They are split into pieces, i.e. ranges of counts in which
/// lines bound the cost from below. A piece is exact at its ends and at the corners of its lower convex hull;
/// refine() splits pieces that are not exact enough.
class PiecewiseCost {
 public:
  /// Creates the pieces. `all_counts`: whether to include counts that cost no less than smaller ones. This is
  /// required if a component must use every assigned processor, or if others run within its processors.
  PiecewiseCost(const CostTable& table, bool all_counts);

  bool empty() const { return entries_.empty(); }
  /// Returns the GCD of all counts.
  std::int64_t step() const { return step_; }
  /// Returns the minimum cost over all counts.
  double minimum_cost() const;

  /// Returns the table entry that a component uses with this many processors. Empty if that is not allowed.
  std::optional<std::size_t> entry(std::int64_t processors) const;

  /// Variables of a component in a program.
  struct Variables {
    Terms processors;
    Terms time;
  };
  /// Adds the component: one integer count per piece and, for several pieces, one binary variable per piece.
  /// Processors and times are divided by the units.
  Variables add_to(MixedIntegerProgram& program, std::int64_t processors_unit, double time_unit) const;

  /// Tightens the bound if this many processors cost more than `time`. Returns whether it did.
  bool refine(std::int64_t processors, double time);
  /// Removes counts at either end that cost more than `cost`.
  void leave_out_above(double cost);
  /// Splits the pieces with the largest errors in advance, up to a fixed number of pieces.
  void cut_where_worst();

 private:
  struct Entry {
    std::int64_t processors = 0;
    double cost = 0;
    std::size_t index = 0;  ///< index in the table
  };
  /// A line through two entries, the second at `end`.
  struct Edge {
    Line line;
    std::size_t end = 0;
    bool used = false;
  };
  struct Piece {
    std::size_t first = 0;
    std::size_t last = 0;
    std::vector<Edge> edges;  ///< lower convex hull; empty for a single entry or if the table contains lines
    std::size_t worst = 0;    ///< entry before or after which to split
    double error = 0;         ///< relative error of the bound at that entry
  };

  Piece make_piece(std::size_t first, std::size_t last) const;
  void measure_error(Piece& piece) const;
  bool use_edges_around(Piece& piece, std::size_t middle) const;
  void cut(std::size_t piece, std::size_t after);
  double bound(const Piece& piece, std::int64_t processors) const;
  /// Returns the last entry with no more than this many processors, searching from the piece's first entry.
  std::size_t entry_below(std::int64_t processors) const;
  double cost_at(std::int64_t processors) const;

  bool all_counts_ = false;
  std::int64_t step_ = 1;
  std::vector<Entry> entries_;
  std::vector<Line> lines_;  ///< lines of the cost table; may be empty
  std::vector<Piece> pieces_;
};

}  // namespace plimsoll::pelayout
