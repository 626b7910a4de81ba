#pragma once

#include <cstdint>

#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Migrates every object to a random available processor. The probability is proportional to pe_speed. The
/// same seed gives the same placement on every machine; `randomize_seed` uses a seed from the system.
class RandomLB : public Strategy {
 public:
  static StrategyInfo info();
  explicit RandomLB(const Parameters& parameters);
  void work(LDStats& stats) override;
  bool minimises_score() const override { return false; }

 private:
  std::uint64_t seed_;
};

}  // namespace plimsoll::balance
