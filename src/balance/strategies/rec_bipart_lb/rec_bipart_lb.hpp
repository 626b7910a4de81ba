#pragma once

#include <plimsoll/balance/parameters.hpp>
#include <plimsoll/balance/place_by_partition.hpp>
#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Partitions a graph with one load dimension into two parts. The first part grows from a peripheral vertex
/// until it has its share. It repeatedly adds the neighbouring vertex with the best gain, or the one that it
/// reached first if several are equal. Then single vertices change parts, best gain first, with hill climbing
/// (Fiduccia and Mattheyses). The function grows parts from two opposite peripheral vertices and returns the
/// better result. `slack` is the fraction of the weight by which a part may miss its share. Cost: O(vertices
/// + edges) per pass, at most 8 passes.
Partition bisect_by_growing(const PartitionGraph& graph, const PartShares& two, double slack);

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
