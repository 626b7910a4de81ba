#include "balance/schedule/rule_of_ranks.hpp"

#include <cstdint>

namespace plimsoll::PLIMSOLL_ABI::balance {

RuleOfRanks::RuleOfRanks(std::size_t n_ranks, bool balances_phases)
    : windows_(n_ranks, RankLoadWindow(static_cast<std::int64_t>(n_ranks))),
      rank_changes_(n_ranks),
      balances_phases_(balances_phases) {}

void RuleOfRanks::observe(std::span<const RankPhase> ranks) {
  LoadEvidence evidence;
  ChangeEvidence changes;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    merge_evidence(evidence, windows_[rank].observe(ranks[rank], rule_.usual_spread()));
    merge_changes(changes, rank_changes_[rank].observe(ranks[rank]));
  }
  for (RankLoadWindow& window : windows_) window.compare_with(evidence);
  changing_.observe(changes);
  n_phases_ = 1;
  if (balances_phases_ && is_steadier(changing_.evidence(), evidence)) {
    evidence = changing_.evidence();
    n_phases_ = changing_.n_phases();
  }
  rule_.observe(evidence);
}

void RuleOfRanks::moved(const MigrationVolume& volume, double migration_s, std::span<const double> before_s,
                        std::span<const double> after_s) {
  rule_.moved(volume, migration_s);
  for (std::size_t rank = 0; rank < windows_.size(); ++rank)
    windows_[rank].rescale(before_s[rank], after_s[rank]);
  if (n_phases_ == 1) return;  // the loads still change in the same way
  for (RankLoadChanges& changes : rank_changes_) changes.clear();
  changing_.clear();
}

}  // namespace plimsoll::balance
