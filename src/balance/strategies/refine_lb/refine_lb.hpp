#pragma once

#include <cstdint>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/strategy.hpp>

#include "balance/strategies/refine_lb/refine_context.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Returns a context whose PairSearch takes about as long as the migrations and swaps before it.
RefineContext small_search(const ProcArray& procs);

/// Writes to stats.to_proc a placement with few migrations, for all strategies that refine the initial one.
/// The target is `tolerance` times the lower bound (lower_bound()); with whole load units, it is at least
/// half a unit above the last multiple within the tolerance.
///
/// First refines the initial placement with shed_excess() and PairSearch. If that misses the target, or
/// migrates suspiciously many objects, also places only the objects that do not fit (keep_or_place()), and
/// refines the result. If the target is still missed, tries this for the maximum that greedy placement
/// reaches, and for slightly lower ones. Keeps the best placement. Returns the target relative to the average
/// finish time (Strategy::target()).
double refine_within(double tolerance, LDStats& stats, const ProcArray& procs, const RefineContext& context);

/// Lowers the maximum load with few migrations: see refine_within() and shed_excess().
/// The target is `tolerance` times the lower bound. One thread; O(n + m log n) for m migrations, plus sorting
/// the objects of the processors involved.
class RefineLB : public Strategy {
 public:
  explicit RefineLB(const Parameters& parameters);
  void work(LDStats& stats) override;
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return vector_balance_score(stats, placement);
  }
  double target() const override { return target_; }

 private:
  double tolerance_;
  double target_ = 0;
};

/// Strategy for few objects per rank. Runs RefineLB first. Then pairs the rank that finishes last with one
/// partner after another, and redistributes the objects of the two optimally. Random swaps escape local
/// optima. Ends when the maximum is `tolerance` times the lower bound, or after `effort` splits. One thread.
class RefineSwapLB : public Strategy {
 public:
  explicit RefineSwapLB(const Parameters& parameters);
  void work(LDStats& stats) override;
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return balance_score(stats, placement);
  }
  double target() const override { return target_; }

 private:
  double tolerance_;
  std::int64_t seed_;
  std::int64_t effort_;
  double target_ = 0;
};

}  // namespace plimsoll::balance
