#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// The distinct rows of a matrix of counts. It can process many matrices one after another.
class DistinctRows {
 public:
  struct Row {
    NumberList& ranks;  ///< ranks that have the row, to be extended by the caller; valid until the next row
    bool is_new;        ///< if true, the caller must append its numbers to numbers()
  };

  /// Returns the row with this hash for which equal(position) is true, or a new one. Positions count from 0
  /// in order of first appearance.
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

  /// Returns the numbers of all rows, one row after another.
  std::vector<std::int64_t>& numbers() { return numbers_; }
  bool empty() const { return ranks_.empty(); }
  /// Discards all rows.
  void clear();
  /// Returns the matrix, with its rows in order of their lowest ranks. Discards all rows.
  CountMatrix take(std::size_t columns);

 private:
  std::vector<std::int64_t> sorted_numbers(std::size_t columns);

  std::vector<std::int64_t> numbers_;
  std::vector<NumberList> ranks_;
  std::vector<std::uint64_t> hashes_;
  support::PositionHash positions_;
};

}  // namespace plimsoll::collectives
