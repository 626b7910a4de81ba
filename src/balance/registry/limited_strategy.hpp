#pragma once

#include <memory>
#include <span>
#include <vector>

#include <plimsoll/balance/limits.hpp>
#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Applies limits to the placements of another strategy, and takes back needless migrations
/// (take_back_needless_moves()).
///
/// With limits on migrations, runs the alternatives too: the same strategy with other tolerances. The result
/// is the best of all parts of their placements (best_part_within()): the best score that is not below the
/// target, then the fewest migrations. Neither the alternatives nor the parts depend on these limits, so that
/// higher limits only add candidates. The score therefore never worsens with a higher limit. If no part is
/// better than the initial placement, keeps the initial one, unless objects have to leave unavailable
/// processors.
///
/// work() also throws like require_sizes(). If ranks or nodes exceed a limit on memory after work(), remarks
/// give their number as `ranks_above_memory_limit` and `nodes_above_memory_limit`.
class LimitedStrategy : public Strategy {
 public:
  /// `parameters` are the values that users see. With `keeps_shape`, only limits take migrations back.
  LimitedStrategy(std::unique_ptr<Strategy> strategy, const Parameters& parameters, const Limits& limits,
                  std::vector<std::unique_ptr<Strategy>> alternatives, bool keeps_shape);
  void work(LDStats& stats) override;
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return strategy_->score(stats, placement);
  }
  ScoreTerms score_terms() const override { return strategy_->score_terms(); }
  bool minimises_score() const override { return strategy_->minimises_score(); }
  std::vector<Remark> remarks() const override;
  double target() const override { return target_; }

  /// Returns the strategy without limits.
  Strategy& inner() { return *strategy_; }
  bool has_limits() const { return limits_.any(); }

 private:
  std::vector<std::int32_t> plan(Strategy& strategy, LDStats& stats) const;
  std::vector<std::int32_t> best_of_all(LDStats& stats, const std::vector<std::int32_t>& first) const;
  void keep_start_unless_better(const LDStats& stats, std::vector<std::int32_t>& placement) const;

  std::unique_ptr<Strategy> strategy_;
  Limits limits_;
  std::vector<std::unique_ptr<Strategy>> alternatives_;
  bool keeps_shape_;
  double target_ = 0;
  std::vector<Remark> limit_remarks_;
};

}  // namespace plimsoll::balance
