#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <plimsoll/collectives/profile.hpp>

#include "collectives/files/findings.hpp"
#include "collectives/model/distinct_rows.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Whether the numbers in rows may be negative.
enum class Sign : std::uint8_t { not_negative, any };

/// Builds a CountMatrix from rows of text and validates it: rows must have equal length, and each rank of the
/// communicator must be in exactly one row. Equal rows are merged. O(numbers); can build many matrices one
/// after another.
class MatrixBuilder {
 public:
  explicit MatrixBuilder(Budget& budget) : budget_(budget) {}

  /// Discards the current rows and begins a matrix. Throws Malformed for an impossible number of ranks.
  void begin(std::uint64_t comm_size, Sign sign, std::uint64_t line);
  /// Adds a row; `numbers` are separated by spaces. Throws Malformed with `line`.
  void add_row(const NumberList& ranks, std::string_view numbers, std::uint64_t line);
  bool empty() const { return ranks_seen_.empty(); }
  /// Returns the matrix. Throws Malformed with the line of the invalid row, or with `end_line` if ranks lack
  /// a row.
  CountMatrix finish(std::uint64_t end_line);

 private:
  /// Ranks that share a row, and the row's line.
  struct Ranks {
    NumberList::Run run;
    std::uint64_t line;
  };

  void check_ranks(std::uint64_t end_line) const;

  Budget& budget_;
  std::uint64_t comm_size_ = 0;
  Sign sign_ = Sign::not_negative;
  std::size_t columns_ = 0;
  DistinctRows rows_;
  std::vector<Ranks> ranks_seen_;
};

}  // namespace plimsoll::collectives
