#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

namespace plimsoll::inline v0_1::balance {

/// Who each object communicates with, whichever of the two sends: objects, sentinels and processors.
class Affinity {
 public:
  struct Partner {
    CommEnd end;
    double cost;  ///< of being on different ranks: bytes + per_message * messages
  };

  /// O(objects + edges). Throws Error (bad_input) for an edge to an object or processor that does not exist,
  /// or of bytes or messages that are negative or not finite.
  Affinity(const LDStats& stats, double per_message);

  /// In the order of LDStats::comm_data.
  std::span<const Partner> partners(std::uint32_t object) const {
    return std::span(partners_).subspan(begin_[object], begin_[object + 1] - begin_[object]);
  }
  /// Cost of all edges that may leave a rank.
  double total_cost() const { return total_cost_; }

 private:
  std::vector<std::uint64_t> begin_;
  std::vector<Partner> partners_;
  double total_cost_ = 0;
};

}  // namespace plimsoll::balance
