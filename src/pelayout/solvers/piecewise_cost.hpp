#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <plimsoll/pelayout/cost_table.hpp>

#include "pelayout/solvers/mixed_integer_program.hpp"

namespace plimsoll::inline v0_1::pelayout {

/// The costs of a component as a linear program can have them: cut into pieces, ranges of counts within
/// which lines bound the cost from below. A piece is exact at its ends and at the corners of its lower convex
/// hull; refine() cuts where that is not enough.
class PiecewiseCost {
 public:
  /// `all_counts`: whether counts matter that cost no less than smaller ones: where a component has to use
  /// every processor that it is given, or others run within its processors.
  PiecewiseCost(const CostTable& table, bool all_counts);

  bool empty() const { return entries_.empty(); }
  /// What all counts are multiples of.
  std::int64_t step() const { return step_; }
  /// The least cost of any count.
  double least_cost() const;

  /// The entry of the table that a component takes when it is given so many processors; nothing if that
  /// is not allowed.
  std::optional<std::size_t> entry(std::int64_t processors) const;

  /// A component within a program.
  struct Variables {
    Terms processors;
    Terms time;
  };
  /// Adds the component: an integer count within each piece, and, if there are several, a binary variable
  /// for each. Processors and times are divided by the units.
  Variables add_to(MixedIntegerProgram& program, std::int64_t processors_unit, double time_unit) const;

  /// Makes the bound tighter if so many processors cost more than `time`. Whether it did.
  bool refine(std::int64_t processors, double time);
  /// Leaves out counts at either end that cost more than this.
  void leave_out_above(double cost);
  /// Cuts where the bound errs most, before it shows.
  void cut_where_worst();

 private:
  struct Entry {
    std::int64_t processors = 0;
    double cost = 0;
    std::size_t index = 0;  ///< in the table
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
    std::vector<Edge> edges;  ///< lower convex hull; none if the table has lines, or there is one entry
    std::size_t worst = 0;    ///< the entry before which, or after which, to cut
    double error = 0;         ///< of the bound there, relative
  };

  Piece make_piece(std::size_t first, std::size_t last) const;
  void measure_error(Piece& piece) const;
  bool use_edges_around(Piece& piece, std::size_t middle) const;
  void cut(std::size_t piece, std::size_t after);
  double bound(const Piece& piece, std::int64_t processors) const;
  /// The last entry with no more processors, from the piece's first.
  std::size_t entry_below(std::int64_t processors) const;
  double cost_at(std::int64_t processors) const;

  bool all_counts_ = false;
  std::int64_t step_ = 1;
  std::vector<Entry> entries_;
  std::vector<Line> lines_;  ///< of the whole table, if it has them
  std::vector<Piece> pieces_;
};

}  // namespace plimsoll::pelayout
