#include "balance/search/assignment.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace plimsoll::PLIMSOLL_ABI::balance {

std::vector<Pairing> merged(std::vector<Pairing> pairings) {
  std::ranges::stable_sort(pairings, {}, [](const Pairing& p) { return std::pair(p.row, p.column); });
  std::vector<Pairing> result;
  for (const Pairing& pairing : pairings) {
    if (!result.empty() && result.back().row == pairing.row && result.back().column == pairing.column) {
      result.back().value += pairing.value;
    } else {
      result.push_back(pairing);
    }
  }
  return result;
}

/// Finds the assignment by shortest augmenting paths: each row in turn gets a column on the cheapest
/// alternating path to a free column. Potentials keep reduced costs >= 0. Column 0 and row 0 mean none.
std::vector<std::int32_t> cheapest_assignment(const std::vector<double>& cost, std::size_t n) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> row_potential(n + 1, 0.0);
  std::vector<double> column_potential(n + 1, 0.0);
  std::vector<std::size_t> row_of(n + 1, 0);
  for (std::size_t row = 1; row <= n; ++row) {
    std::vector<double> distance(n + 1, infinity);
    std::vector<std::size_t> before(n + 1, 0);
    std::vector<bool> reached(n + 1, false);
    std::size_t column = 0;
    row_of[0] = row;
    do {
      reached[column] = true;
      const std::size_t from = row_of[column];
      std::size_t nearest = 0;
      for (std::size_t next = 1; next <= n; ++next) {
        if (reached[next]) continue;
        const double reduced = cost[(from - 1) * n + next - 1] - row_potential[from] - column_potential[next];
        if (reduced < distance[next]) {
          distance[next] = reduced;
          before[next] = column;
        }
        if (nearest == 0 || distance[next] < distance[nearest]) nearest = next;
      }
      const double step = distance[nearest];
      for (std::size_t other = 0; other <= n; ++other) {
        if (reached[other]) {
          row_potential[row_of[other]] += step;
          column_potential[other] -= step;
        } else {
          distance[other] -= step;
        }
      }
      column = nearest;
    } while (row_of[column] != 0);
    for (; column != 0; column = before[column]) row_of[column] = row_of[before[column]];
  }
  std::vector<std::int32_t> column_of(n);
  for (std::size_t column = 1; column <= n; ++column)
    column_of[row_of[column] - 1] = static_cast<std::int32_t>(column - 1);
  return column_of;
}

std::vector<std::int32_t> greedy_assignment(std::vector<Pairing> pairings, std::size_t n) {
  std::ranges::stable_sort(pairings, std::ranges::greater(), &Pairing::value);
  std::vector<std::int32_t> column_of(n, -1);
  std::vector<bool> taken(n, false);
  for (const Pairing& pairing : pairings) {
    if (pairing.value <= 0) break;
    std::int32_t& column = column_of[static_cast<std::size_t>(pairing.row)];
    if (column >= 0 || taken[static_cast<std::size_t>(pairing.column)]) continue;
    column = pairing.column;
    taken[static_cast<std::size_t>(pairing.column)] = true;
  }
  return column_of;
}

}  // namespace plimsoll::balance
