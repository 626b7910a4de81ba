#pragma once

#include <cstdint>
#include <vector>

namespace plimsoll::inline v0_1::lbdata {

/// Objects in a grid of one, two or three dimensions, numbered with the first coordinate running slowest.
class Grid {
 public:
  /// The grid of exactly `count` cells with sides as equal as its divisors allow, the longest first.
  Grid(std::int64_t count, int dimensions);

  const std::vector<std::int64_t>& sides() const { return sides_; }
  std::vector<std::int64_t> coordinates(std::int64_t cell) const;
  /// Cells one step away, along the first coordinate first, the lower one first.
  std::vector<std::int64_t> neighbours(std::int64_t cell) const;

 private:
  std::vector<std::int64_t> sides_;
};

}  // namespace plimsoll::lbdata
