// The periodic grid of cells, and the exact solution of the Jacobi iteration on it.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <numbers>

struct Grid {
  int size = 0;   // cells per side
  int block = 0;  // cells per side of a block, a divisor of size

  int blocks_per_side() const { return size / block; }
  int block_count() const { return blocks_per_side() * blocks_per_side() * blocks_per_side(); }

  // Value of a cell after a number of steps. Each step replaces all values by the mean of the cell and its
  // six neighbours. A wave keeps its form then, and loses a constant share of its height. The heights in x, y
  // and z differ, so that values in wrong places are errors.
  double exact(int x, int y, int z, int step) const {
    const double angle = 2 * std::numbers::pi / size;
    const double kept_share = (5 + 2 * std::cos(angle)) / 7;
    return (std::cos(angle * x) + 2 * std::cos(angle * y) + 3 * std::cos(angle * z)) *
           std::pow(kept_share, step);
  }
};

// Returns an integer that depends on all bits of a value and on the cell. The sum of integers is the same in
// any order, modulo 2^64.
inline std::uint64_t checksum(double value, int x, int y, int z) {
  std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  for (const int number : {x, y, z}) {
    bits = (bits ^ static_cast<std::uint64_t>(number)) * 0x9e3779b97f4a7c15;
    bits ^= bits >> 32;
  }
  return bits;
}
