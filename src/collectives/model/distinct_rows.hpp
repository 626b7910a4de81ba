#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/support/position_hash.hpp>

namespace plimsoll::inline v0_1::collectives {

/// The rows of a matrix of counts, equal ones once, for many matrices one after the other.
class DistinctRows {
 public:
  struct Row {
    NumberList& ranks;  ///< that have the row, for the caller to extend; valid until the next row
    bool is_new;        ///< its numbers have to be at the end of numbers()
  };

  /// The row of this hash for which equal(position) is true, positions counted from 0 in order of the first
  /// appearance; a new one if there is none.
  template <class Equal>
  Row row(std::uint64_t hash, Equal&& equal) {
    std::uint32_t position = positions_.find(hash, equal);
    const bool is_new = position == support::PositionHash::none;
    if (is_new) {
      position = static_cast<std::uint32_t>(ranks_.size());
      positions_.insert(hash, position, [this](std::uint32_t row) { return hashes_[row]; });
      hashes_.push_back(hash);
      ranks_.emplace_back();
    }
    return {ranks_[position], is_new};
  }

  /// The numbers of all rows, one after the other.
  std::vector<std::int64_t>& numbers() { return numbers_; }
  bool empty() const { return ranks_.empty(); }
  /// Forgets all rows.
  void clear();
  /// The matrix, its rows in order of their lowest ranks. Forgets all rows.
  CountMatrix take(std::size_t columns);

 private:
  std::vector<std::int64_t> sorted_numbers(std::size_t columns);

  std::vector<std::int64_t> numbers_;
  std::vector<NumberList> ranks_;
  std::vector<std::uint64_t> hashes_;
  support::PositionHash positions_;
};

}  // namespace plimsoll::collectives
