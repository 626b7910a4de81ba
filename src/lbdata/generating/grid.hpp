#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Objects in a grid of one, two or three dimensions; the first coordinate changes slowest in the numbering.
class Grid {
 public:
  /// Creates a grid of exactly `count` cells. The sides are as equal as its divisors allow, the longest
  /// first.
  Grid(std::int64_t count, int dimensions);

  const std::vector<std::int64_t>& sides() const { return sides_; }
  std::vector<std::int64_t> coordinates(std::int64_t cell) const;
  /// Returns the adjacent cells, starting with the first coordinate, the lower cell first.
  std::vector<std::int64_t> neighbours(std::int64_t cell) const;

 private:
  std::vector<std::int64_t> sides_;
};

}  // namespace plimsoll::lbdata
