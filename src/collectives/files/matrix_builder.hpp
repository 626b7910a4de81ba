#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <plimsoll/collectives/profile.hpp>

#include "collectives/files/findings.hpp"
#include "collectives/model/distinct_rows.hpp"

namespace plimsoll::inline v0_1::collectives {

/// Which numbers rows may have.
enum class Sign : std::uint8_t { not_negative, any };

/// Makes a CountMatrix of rows of text, and checks that it is one: rows of equal length, each rank of the
/// communicator in one of them. Equal rows become one. O(numbers), for many matrices one after the other.
class MatrixBuilder {
 public:
  explicit MatrixBuilder(Budget& budget) : budget_(budget) {}

  /// Forgets the rows so far. Throws Malformed for more ranks than there can be.
  void begin(std::uint64_t comm_size, Sign sign, std::uint64_t line);
  /// `numbers` are divided by blanks. Throws Malformed with `line`.
  void add_row(const NumberList& ranks, std::string_view numbers, std::uint64_t line);
  bool empty() const { return ranks_seen_.empty(); }
  /// Throws Malformed: with the line of a row, or for ranks that have none with `end_line`.
  CountMatrix finish(std::uint64_t end_line);

 private:
  /// Ranks that have a row, and where that is.
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
