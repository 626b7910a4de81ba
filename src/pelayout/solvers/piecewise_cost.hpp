#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include <plimsoll/pelayout/solution.hpp>
#include <plimsoll/support/contract.hpp>

#include "pelayout/solvers/mixed_integer_program.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Maximum relative error of a bound.
inline constexpr double negligible = 1e-10;
inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// Returns the value of a line.
inline double at(const Line& line, std::int64_t processors) {
  return line.intercept + line.slope * static_cast<double>(processors);
}

/// Costs of a component for a linear program. They are split into pieces, i.e. ranges of counts in which
/// lines bound the cost from below. A piece is exact at its ends and at the corners of its lower convex hull;
/// refine() splits pieces that are not exact enough.
class PiecewiseCost {
 public:
  /// Creates the pieces. `all_counts`: whether to include counts that cost no less than smaller ones. This is
  /// required if a component must use every assigned processor, or if others run within its processors.
  PiecewiseCost(const CostTable& table, bool all_counts)
      : all_counts_(all_counts), step_(0), lines_(table.lines) {
    double minimum = infinity;
    for (std::size_t index = 0; index < table.size(); ++index) {
      step_ = std::gcd(step_, table.processors[index]);
      // Skip counts that are not faster than smaller ones, unless all processors must be used.
      if (!all_counts && table.cost[index] >= minimum) continue;
      minimum = std::min(minimum, table.cost[index]);
      entries_.push_back({table.processors[index], table.cost[index], index});
    }
    if (entries_.empty()) return;
    // Add the lower bound, because lines of a model may be below zero.
    if (!lines_.empty()) lines_.push_back({minimum, 0});
    pieces_.push_back(make_piece(0, entries_.size() - 1));
  }

  bool empty() const { return entries_.empty(); }
  /// Returns the GCD of all counts.
  std::int64_t step() const { return step_; }
  double minimum_cost() const { return std::ranges::min_element(entries_, {}, &Entry::cost)->cost; }

  /// Returns the table entry that a component uses with this many processors. Empty if that is not allowed.
  std::optional<std::size_t> entry(std::int64_t processors) const {
    const Entry& below = entries_[entry_below(processors)];
    if (below.processors > processors || (all_counts_ && below.processors != processors)) return std::nullopt;
    return below.index;
  }

  struct Variables {
    Terms processors;
    Terms time;
  };
  /// Adds the component: one integer count per piece and, for several pieces, one binary variable per piece.
  /// Processors and times are divided by the units.
  Variables add_to(MixedIntegerProgram& program, std::int64_t processors_unit, double time_unit) const {
    const auto processors_factor = [&](std::int64_t processors) {
      return static_cast<double>(processors) / static_cast<double>(processors_unit);
    };
    using enum MixedIntegerProgram::Relation;
    Variables variables;
    Terms choices;
    for (const Piece& piece : pieces_) {
      const Entry& first = entries_[piece.first];
      const Entry& last = entries_[piece.last];
      const bool alone = pieces_.size() == 1;
      const int chosen = program.add_variable(alone ? 1 : 0, 1, true);
      choices.push_back({chosen, 1});
      if (piece.first == piece.last) {
        variables.processors.push_back({chosen, processors_factor(first.processors)});
        variables.time.push_back({chosen, first.cost / time_unit});
        continue;
      }
      const std::int64_t fewest_steps = first.processors / step_;
      const std::int64_t most_steps = last.processors / step_;
      const auto fewest = static_cast<double>(fewest_steps);
      const auto maximum = static_cast<double>(most_steps);
      const int steps = program.add_variable(alone ? fewest : 0, maximum, true);
      if (!alone) {
        program.add_constraint({{steps, 1}, {chosen, -fewest}}, at_least, 0);
        program.add_constraint({{steps, 1}, {chosen, -maximum}}, at_most, 0);
      }
      const int time = program.add_variable(0, infinity);
      const auto add_line = [&](const Line& line) {
        program.add_constraint({{time, 1},
                                {steps, -line.slope * static_cast<double>(step_) / time_unit},
                                {chosen, -line.intercept / time_unit}},
                               at_least, 0);
      };
      for (const Line& line : lines_) add_line(line);
      for (const Edge& edge : piece.edges)
        if (edge.used) add_line(edge.line);
      variables.processors.push_back({steps, processors_factor(step_)});
      variables.time.push_back({time, 1});
    }
    program.add_constraint(choices, equal, 1);
    return variables;
  }

  /// Tightens the bound if this many processors cost more than `time`. Returns whether it did.
  bool refine(std::int64_t processors, double time) {
    if (cost_at(processors) <= time * (1 + negligible)) return false;
    const auto piece = std::ranges::find_if(
        pieces_, [&](const Piece& candidate) { return processors <= entries_[candidate.last].processors; });
    if (piece == pieces_.end() || piece->first == piece->last) return false;
    if (!piece->edges.empty() && bound(*piece, processors) > time * (1 + negligible) &&
        use_edges_around(*piece, edge_at(*piece, processors)))
      return true;
    const std::size_t below = entry_below(processors);
    if (below < piece->first || below >= piece->last) return false;
    cut(static_cast<std::size_t>(piece - pieces_.begin()), below);
    return true;
  }

  /// Removes counts at either end that cost more than `cost`.
  void leave_out_above(double cost) {
    const auto is_dear = [&](const Entry& entry) { return entry.cost > cost * (1 + negligible); };
    const auto costs_more = [&](std::size_t index) { return is_dear(entries_[index]); };
    const auto all_dear = [&](const Piece& piece) {
      return std::ranges::all_of(std::span(entries_).subspan(piece.first, piece.last + 1 - piece.first),
                                 is_dear);
    };
    while (pieces_.size() > 1 && all_dear(pieces_.front())) pieces_.erase(pieces_.begin());
    while (pieces_.size() > 1 && all_dear(pieces_.back())) pieces_.pop_back();
    const auto trim = [&](Piece& piece) {
      std::size_t first = piece.first;
      std::size_t last = piece.last;
      while (first < last && costs_more(first)) ++first;
      while (last > first && costs_more(last)) --last;
      if (first != piece.first || last != piece.last) piece = make_piece(first, last);
    };
    trim(pieces_.front());
    trim(pieces_.back());
  }

  /// Splits the pieces with the largest errors in advance, up to a fixed number of pieces.
  void cut_where_worst() {
    constexpr std::size_t max_pieces = 8;
    constexpr double tolerable = 1e-3;
    while (pieces_.size() < max_pieces) {
      const auto worst = std::ranges::max_element(pieces_, {}, &Piece::error);
      if (worst->error <= tolerable) return;
      cut(static_cast<std::size_t>(worst - pieces_.begin()), worst->worst);
    }
  }

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

  Piece make_piece(std::size_t first, std::size_t last) const {
    Piece piece{.first = first, .last = last, .edges = {}};
    if (first == last) return piece;
    if (lines_.empty()) {
      const auto slope = [&](std::size_t from, std::size_t to) {
        return (entries_[to].cost - entries_[from].cost) /
               static_cast<double>(entries_[to].processors - entries_[from].processors);
      };
      for (std::size_t end = first + 1; end <= last; ++end) {
        while (!piece.edges.empty() && slope(piece.edges.back().end, end) <= piece.edges.back().line.slope)
          piece.edges.pop_back();
        const std::size_t begin = piece.edges.empty() ? first : piece.edges.back().end;
        piece.edges.push_back({.line = {0, slope(begin, end)}, .end = end});
      }
      for (std::size_t begin = first; Edge & edge : piece.edges) {
        edge.line.intercept =
            entries_[begin].cost - edge.line.slope * static_cast<double>(entries_[begin].processors);
        begin = edge.end;
      }
      use_edges_around(piece, 0);
      use_edges_around(piece, piece.edges.size() - 1);
    }
    measure_error(piece);
    return piece;
  }

  void measure_error(Piece& piece) const {
    for (std::size_t index = piece.first; index < piece.last; ++index) {
      // The cost is constant up to the next entry, whereas the bound changes.
      const std::int64_t last_processors = entries_[index + 1].processors - step_;
      const double low = std::min(bound(piece, entries_[index].processors), bound(piece, last_processors));
      const double error = 1 - low / entries_[index].cost;
      if (error > piece.error) {
        piece.error = error;
        piece.worst = index;
      }
    }
  }

  bool use_edges_around(Piece& piece, std::size_t middle) const {
    bool news = false;
    const auto use = [&](Edge& edge) {
      news = news || !edge.used;
      edge.used = true;
    };
    // Use all edges near the middle, and fewer with growing distance, because the error of the bound is
    // proportional to this distance.
    for (std::size_t distance = 0; distance <= middle || middle + distance < piece.edges.size();
         distance = 2 * distance + 1) {
      if (distance <= middle) use(piece.edges[middle - distance]);
      if (middle + distance < piece.edges.size()) use(piece.edges[middle + distance]);
    }
    return news;
  }

  void cut(std::size_t piece, std::size_t after) {
    const Piece whole = pieces_[piece];
    PLIMSOLL_EXPECT(whole.first <= after && after < whole.last);
    pieces_[piece] = make_piece(whole.first, after);
    pieces_.insert(pieces_.begin() + static_cast<std::ptrdiff_t>(piece) + 1,
                   make_piece(after + 1, whole.last));
  }

  double bound(const Piece& piece, std::int64_t processors) const {
    if (piece.first == piece.last) return entries_[piece.first].cost;
    if (!lines_.empty()) {
      double maximum = 0;
      for (const Line& line : lines_) maximum = std::max(maximum, at(line, processors));
      return maximum;
    }
    return at(piece.edges[edge_at(piece, processors)].line, processors);
  }

  /// Returns the last entry with no more than this many processors, searching from the piece's first entry.
  std::size_t entry_below(std::int64_t processors) const {
    const auto above = std::ranges::upper_bound(entries_, processors, {}, &Entry::processors);
    return above == entries_.begin() ? 0 : static_cast<std::size_t>(above - entries_.begin()) - 1;
  }

  /// Returns the index of the piece's edge at a processor count.
  std::size_t edge_at(const Piece& piece, std::int64_t processors) const {
    const auto edge = std::ranges::lower_bound(piece.edges, processors, {},
                                               [&](const Edge& e) { return entries_[e.end].processors; });
    return static_cast<std::size_t>(edge - piece.edges.begin());
  }

  double cost_at(std::int64_t processors) const {
    return entry(processors) ? entries_[entry_below(processors)].cost : infinity;
  }

  bool all_counts_ = false;
  std::int64_t step_ = 1;
  std::vector<Entry> entries_;
  std::vector<Line> lines_;  ///< lines of the cost table; may be empty
  std::vector<Piece> pieces_;
};

}  // namespace plimsoll::pelayout
