#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Throws Error (bad_input) for an edge to an object or processor that does not exist, or with bytes or
/// messages that are negative or not finite.
void check_edge(const LDStats& stats, std::size_t edge);

/// Communication partners of each object, in either direction: migratable objects, non-migratable objects and
/// processors.
class Affinity {
 public:
  struct Partner {
    CommEnd end;
    double cost;  ///< cost on different ranks: bytes + per_message * messages
  };

  /// Throws like check_edge(), and Error (usage) if the sum of the costs is not finite.
  /// Cost: O(objects + edges).
  Affinity(const LDStats& stats, double per_message);

  /// Returns the partners, each once, in the order of their first edges in LDStats::comm_data.
  std::span<const Partner> partners(std::uint32_t object) const {
    return std::span(partners_).subspan(begin_[object], begin_[object + 1] - begin_[object]);
  }

  double total_cost() const { return total_cost_; }

 private:
  /// Adds up the edges of each pair, because searches visit partners again and again.
  void merge_duplicates(std::size_t n_ranks);

  std::vector<std::uint64_t> begin_;
  std::vector<Partner> partners_;
  double total_cost_ = 0;
};

}  // namespace plimsoll::balance
