#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include <plimsoll/collectives/profile.hpp>

#include "collectives/model/digest.hpp"

namespace plimsoll::collectives {

/// The rows of a matrix of counts, equal ones once, for many matrices one after the other.
class DistinctRows {
 public:
  struct Row {
    NumberList& ranks;  ///< that have the row, for the caller to extend; valid until the next row
    bool is_new;        ///< its numbers have to be at the end of numbers()
  };

  /// Forgets all rows.
  void clear();
  /// The row with this content.
  Row row(const Digest& content);
  /// The numbers of all rows, one after the other.
  std::vector<std::int64_t>& numbers() { return numbers_; }
  bool empty() const { return ranks_.empty(); }
  /// The matrix, its rows in order of their lowest ranks. Then clear() has to follow.
  CountMatrix take(std::size_t columns);

 private:
  std::vector<std::int64_t> numbers_;  // kept from matrix to matrix for its memory
  std::vector<NumberList> ranks_;
  std::unordered_map<Digest, std::size_t, DigestHash> rows_;
};

}  // namespace plimsoll::collectives
