#pragma once

#include <plimsoll/balance/strategy_registry.hpp>

namespace plimsoll::inline v0_1::balance {

/// Recursive coordinate bisection of the objects' positions: the ranks are split in two groups, and the
/// objects by a plane across the longest side of their box, so that each group gets the load that it would
/// take to finish with the other; and so on. Objects at one coordinate are told apart by their other
/// coordinates, then by number, so that many at one place are no obstacle. The group whose objects lie lower
/// now gets the lower side, so that a second run moves little. Keeps the start if that scores as well.
/// One thread; O(objects log ranks + ranks log^2 ranks).
/// Source: M. J. Berger, S. H. Bokhari, "A partitioning strategy for nonuniform problems on multiprocessors",
/// 1987; OrbLB of Charm++ 6.10.
class OrbLB : public Strategy {
 public:
  static StrategyInfo info();
  explicit OrbLB(const Parameters& parameters);
  /// Throws Error (usage) also if there are objects to place, and no positions.
  void work(LDStats& stats) override;
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return communication_score(stats, placement, tolerance_);
  }

 private:
  double tolerance_;
};

}  // namespace plimsoll::balance
