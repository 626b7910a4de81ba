#pragma once

#include <algorithm>
#include <cstddef>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::report {

/// Rows of the maps of a page: one per rank, or one per block of consecutive ranks if ranks times phases
/// would exceed the limit of values.
class RankRows {
 public:
  RankRows(std::size_t n_ranks, std::size_t n_phases, std::size_t max_cells)
      : n_ranks_(n_ranks),
        ranks_per_row_(std::max<std::size_t>(1, (n_ranks * n_phases + max_cells - 1) / max_cells)) {}

  std::size_t n_ranks() const { return n_ranks_; }
  std::size_t ranks_per_row() const { return ranks_per_row_; }
  std::size_t count() const { return (n_ranks_ + ranks_per_row_ - 1) / ranks_per_row_; }
  std::size_t of(std::size_t rank) const { return rank / ranks_per_row_; }

 private:
  std::size_t n_ranks_;
  std::size_t ranks_per_row_;
};

}  // namespace plimsoll::report
