#include "balance/strategies/rec_bipart_lb/rec_bipart_lb.hpp"

#include <algorithm>
#include <cmath>

#include "balance/partition/recursive_bisection.hpp"
#include "balance/strategies/rec_bipart_lb/bisection.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

StrategyInfo RecBipartLB::info() {
  return {"RecBipartLB",
          "low communication between ranks at good balance: bisects the object graph, needs no library",
          {partition_tolerance()},
          make_strategy<RecBipartLB>,
          {.memory = true, .numbers = false}};
}

void RecBipartLB::work(LDStats& stats) {
  place_by_partition(
      stats, *this, tolerance_, false,
      [this](const PartitionGraph& graph, const PartShares& shares, const Partition& /*present*/) {
        // Reduce the tolerance of each bisection, because the tolerances of nested bisections multiply. The
        // smaller half determines the slack.
        const double levels = std::max(1.0, std::ceil(std::log2(shares.n_parts())));
        const double tolerance = std::pow(tolerance_, 1 / levels);
        return partition_by_bisection(graph, shares, [&](const PartitionGraph& piece, const PartShares& two) {
          return bisect_by_growing(piece, two, (tolerance - 1) * std::min(two.of(0, 0), two.of(1, 0)));
        });
      });
}

}  // namespace plimsoll::balance
