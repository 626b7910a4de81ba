#include "pelayout/solvers/surface.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

/// Maximum number of steps that a combination of concurrent parts visits: some seconds of work.
constexpr double max_visited_steps = 3e8;

/// Number of steps for which looking at columns is not worth while.
constexpr double few_visited_steps = 1e4;

/// Returns the minimum of two staircases at each number of processors. O(steps).
Staircase faster_of(const Staircase& one, const Staircase& other) {
  Staircase stairs(one.at.size() + other.at.size());
  for (std::size_t i = 0, j = 0; i < one.at.size() || j < other.at.size();) {
    const bool is_first = j == other.at.size() || (i < one.at.size() && one.at[i] <= other.at[j]);
    const bool is_both = i < one.at.size() && j < other.at.size() && one.at[i] == other.at[j];
    const std::int64_t at = is_first ? one.at[i] : other.at[j];
    const double time = is_both    ? std::min(one.time[i], other.time[j])
                        : is_first ? one.time[i]
                                   : other.time[j];
    stairs.add(at, time);
    if (is_first) ++i;
    if (is_both || !is_first) ++j;
  }
  return stairs;
}

/// Returns the surface with the kinds of nodes exchanged. O(rows x columns).
Surface transposed(const Surface& surface) {
  std::set<std::int64_t> columns;
  for (const Staircase& row : surface.rows) columns.insert(row.at.begin(), row.at.end());
  std::vector<std::size_t> n_passed(surface.rows.size(), 0);  // steps of each row up to the column
  Surface result;
  for (const std::int64_t column : columns) {
    Staircase stairs(surface.rows.size());
    for (std::size_t k = 0; k < surface.rows.size(); ++k) {
      const Staircase& row = surface.rows[k];
      while (n_passed[k] < row.at.size() && row.at[n_passed[k]] <= column) ++n_passed[k];
      if (n_passed[k] > 0) stairs.add(surface.at[k], row.time[n_passed[k] - 1]);
    }
    result.add(column, std::move(stairs));
  }
  return result;
}

/// Returns the number of steps that by_rows() visits.
double visited_steps(const Surface& one, const Surface& other) {
  return static_cast<double>(one.steps()) * static_cast<double>(other.at.size()) +
         static_cast<double>(other.steps()) * static_cast<double>(one.at.size());
}

Surface by_rows(const Surface& one, const Surface& other, const Processors& total) {
  if (const double steps = visited_steps(one, other); steps > max_visited_steps)
    throw too_many_steps(steps, max_visited_steps);
  std::map<std::int64_t, Staircase> rows;
  for (std::size_t i = 0; i < one.at.size(); ++i)
    for (std::size_t j = 0; j < other.at.size() && one.at[i] + other.at[j] <= total[0]; ++j) {
      const std::array<const Staircase*, 2> pair = {&one.rows[i], &other.rows[j]};
      Staircase& row = rows[one.at[i] + other.at[j]];
      row = faster_of(row, side_by_side(pair, total[1]));
    }
  Surface surface;
  for (auto& [processors, row] : rows) surface.add(processors, std::move(row));
  return surface;
}

/// Returns the minimum time of two concurrent parts on a number of processors; infinite if infeasible. The
/// more processors the first part gets, the faster it is, and the slower the other: the minimum is where the
/// other becomes the slower one.
double time_of_best_split(const Staircase& one, const Staircase& other, std::int64_t processors) {
  double best = std::numeric_limits<double>::infinity();
  const auto feasible = std::ranges::upper_bound(one.at, processors - other.at.front());
  const auto n_feasible = static_cast<std::size_t>(feasible - one.at.begin());
  std::size_t first = 0;  // first step of `one` that is not slower than the other
  for (std::size_t end = n_feasible; first < end;) {
    const std::size_t middle = first + (end - first) / 2;
    if (one.time[middle] <= other.time_on(processors - one.at[middle]))
      end = middle;
    else
      first = middle + 1;
  }
  if (first < n_feasible) best = other.time_on(processors - one.at[first]);
  if (first > 0) best = std::min(best, one.time[first - 1]);
  return best;
}

}  // namespace

const Staircase* Surface::row(std::int64_t processors) const {
  const auto after = std::ranges::upper_bound(at, processors);
  return after == at.begin() ? nullptr : &rows[static_cast<std::size_t>(after - at.begin()) - 1];
}

void Surface::add(std::int64_t processors, Staircase row) {
  if (row.empty()) return;
  if (!rows.empty()) {
    row = faster_of(rows.back(), row);
    if (row.at == rows.back().at && row.time == rows.back().time) return;
  }
  at.push_back(processors);
  rows.push_back(std::move(row));
}

std::size_t Surface::steps() const {
  std::size_t steps = 0;
  for (const Staircase& row : rows) steps += row.at.size();
  return steps;
}

Error too_many_steps(double steps, double maximum) {
  constexpr double million = 1e6;
  return support::bad_input(
      fmt::format(
          "too many task counts on two kinds of nodes: combining concurrent parts that use both kinds "
          "takes {:.0f} million steps, at most {:.0f} million are supported",
          steps / million, maximum / million),
      "", "use whole nodes (--node_sharing no), larger block sizes, or fewer nodes");
}

Surface surface_of(const Staircase& stairs, std::size_t kind) {
  Surface surface;
  if (kind == 1) {
    surface.add(0, stairs);
    return surface;
  }
  for (std::size_t k = 0; k < stairs.at.size(); ++k) {
    Staircase row;
    row.add(0, stairs.time[k]);
    surface.add(stairs.at[k], std::move(row));
  }
  return surface;
}

std::set<std::int64_t> all_steps(std::span<const Surface* const> surfaces) {
  std::set<std::int64_t> steps;
  for (const Surface* surface : surfaces) steps.insert(surface->at.begin(), surface->at.end());
  return steps;
}

std::vector<const Staircase*> rows_at(std::span<const Surface* const> surfaces, std::int64_t processors) {
  std::vector<const Staircase*> rows;
  for (const Surface* surface : surfaces) {
    const Staircase* const row = surface->row(processors);
    if (row == nullptr) return {};
    rows.push_back(row);
  }
  return rows;
}

Surface in_sequence(std::span<const Surface* const> parts) {
  Surface surface;
  for (const std::int64_t processors : all_steps(parts))
    if (const auto rows = rows_at(parts, processors); !rows.empty())
      surface.add(processors, in_sequence(rows));
  return surface;
}

Surface side_by_side(const Surface& one, const Surface& other, const Processors& total) {
  if (visited_steps(one, other) <= few_visited_steps) return by_rows(one, other, total);
  const Surface columns = transposed(one);
  const Surface other_columns = transposed(other);
  if (visited_steps(one, other) <= visited_steps(columns, other_columns)) return by_rows(one, other, total);
  return transposed(by_rows(columns, other_columns, {total[1], total[0]}));
}

Surface side_by_side_on(const Surface& one, const Surface& other, const Processors& total) {
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < one.at.size() && one.at[k] <= total[0]; ++k)
    if (const Staircase* const row = other.row(total[0] - one.at[k]))
      best = std::min(best, time_of_best_split(one.rows[k], *row, total[1]));
  Surface surface;
  if (best == std::numeric_limits<double>::infinity()) return surface;
  Staircase row;
  row.add(total[1], best);
  surface.add(total[0], std::move(row));
  return surface;
}

}  // namespace plimsoll::pelayout
