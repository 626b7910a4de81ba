#pragma once

#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Places objects by recursive coordinate bisection of their positions. It splits the ranks into two groups,
/// and the objects by a plane across the longest side of their box. Each group gets the load with which both
/// groups finish together. The groups are split recursively. Objects with equal coordinates are distinguished
/// by their other coordinates, then by number, so many objects may share a position. The group whose objects
/// currently have lower coordinates gets the lower side, so that a second run migrates few objects. Keeps the
/// initial placement if it scores as well. One thread; O(objects log ranks + ranks log^2 ranks). Source: M.
/// J. Berger, S. H. Bokhari, "A partitioning strategy for nonuniform problems on multiprocessors", 1987;
/// OrbLB of Charm++ 6.10.
class OrbLB : public Strategy {
 public:
  static StrategyInfo info();
  explicit OrbLB(const Parameters& parameters);
  /// Also throws Error (usage) if objects have to be placed but positions are missing.
  void work(LDStats& stats) override;
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return communication_score(stats, placement, tolerance_);
  }

 private:
  double tolerance_;
};

}  // namespace plimsoll::balance
