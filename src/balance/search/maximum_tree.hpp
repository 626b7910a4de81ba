#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Array of values that knows the position of its maximum while values change. Source: the tournament tree of
/// D. Knuth, "The Art of Computer Programming", volume 3, section 5.4.1.
class MaximumTree {
 public:
  /// All values are minus infinity.
  explicit MaximumTree(std::size_t size)
      : n_leaves_(std::bit_ceil(size)),
        values_(n_leaves_, -std::numeric_limits<double>::infinity()),
        winners_(2 * n_leaves_) {
    for (std::size_t leaf = 0; leaf < n_leaves_; ++leaf)
      winners_[n_leaves_ + leaf] = static_cast<std::uint32_t>(leaf);
    for (std::size_t node = n_leaves_ - 1; node > 0; --node) winners_[node] = winners_[2 * node];
  }

  double value(std::size_t position) const { return values_[position]; }
  /// Returns the position of the maximum.
  std::uint32_t maximum() const { return winners_[1]; }
  double max() const { return values_[maximum()]; }

  /// Cost: O(log size).
  void set(std::size_t position, double value) {
    values_[position] = value;
    for (std::size_t node = (n_leaves_ + position) / 2; node > 0; node /= 2) {
      const std::uint32_t left = winners_[2 * node];
      const std::uint32_t right = winners_[2 * node + 1];
      const std::uint32_t winner = values_[right] > values_[left] ? right : left;
      if (winner == winners_[node] && winner != position) return;
      winners_[node] = winner;
    }
  }

 private:
  std::size_t n_leaves_;
  std::vector<double> values_;
  std::vector<std::uint32_t> winners_;  ///< nodes of a binary tree: the children of n are 2 n and 2 n + 1
};

}  // namespace plimsoll::balance
