#pragma once

#include <plimsoll/balance/parameters.hpp>
#include <plimsoll/balance/place_by_partition.hpp>
#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Partitions the object graph by recursive bisection. Each bisection grows one side and refines the border
/// (bisection.hpp). Labels the parts so that few objects migrate (place_by_partition.hpp). Needs no external
/// library. Cost: O((objects + edges) log ranks).
class RecBipartLB : public Strategy {
 public:
  static StrategyInfo info();
  explicit RecBipartLB(const Parameters& parameters)
      : Strategy("RecBipartLB", parameters), tolerance_(tolerance_of("RecBipartLB", parameters)) {}
  void work(LDStats& stats) override;
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return partition_score(stats, placement, tolerance_, false);
  }

 private:
  double tolerance_;
};

}  // namespace plimsoll::balance
