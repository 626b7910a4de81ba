#pragma once

#include <plimsoll/balance/place_by_partition.hpp>
#include <plimsoll/balance/strategy.hpp>

#include "balance/partition/partitioner.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Partitions the object graph with METIS or Scotch into parts with little communication between them. Labels
/// the parts so that few objects migrate (place_by_partition.hpp). With METIS it balances all load
/// dimensions.
class GraphPartLB : public Strategy {
 public:
  static StrategyInfo info();
  /// Throws Error (usage) for values out of range.
  explicit GraphPartLB(const Parameters& parameters);
  void work(LDStats& stats) override;
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return partition_score(stats, placement, options_.tolerance, true);
  }

 private:
  PartitionOptions options_;
  bool by_metis_;
};

}  // namespace plimsoll::balance
