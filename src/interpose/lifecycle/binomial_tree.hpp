#pragma once

#include <cstdint>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Position of a rank in a binomial tree, whose root is rank 0: no rank has more than log2(size) children,
/// rounded up, and no path is longer.
struct BinomialTree {
  int rank = 0;
  int size = 1;

  bool is_root() const { return rank == 0; }
  /// Returns the rank without its lowest set bit.
  int parent() const { return rank & (rank - 1); }
  /// Visits the children: this rank with one of the bits set that are below its lowest set bit.
  template <class Visit>
  void for_each_child(Visit&& visit) const {
    std::int64_t bit = 1;
    while (bit < size && !(rank & bit)) bit *= 2;
    for (bit /= 2; bit > 0; bit /= 2)
      if (rank + bit < size) visit(static_cast<int>(rank + bit));
  }
};

}  // namespace plimsoll::interpose
