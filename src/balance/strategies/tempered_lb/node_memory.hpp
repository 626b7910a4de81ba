#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include <plimsoll/balance/rank_rounds.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Memory that the ranks of each node may use together. One rank keeps account of each node. At the start of
/// a step, it grants all that is free to one of the node's ranks, in a random order, so that the ranks need
/// not agree during the step.
class NodeMemory {
 public:
  /// `limit_bytes`: limit of each node, or infinity.
  NodeMemory(const RankRounds& rounds, double limit_bytes)
      : rounds_(rounds),
        limit_bytes_(limit_bytes),
        of_rank_(static_cast<std::size_t>(rounds.local_ranks())) {}

  bool is_limited() const;
  /// Tells the memory that a rank uses, in the first round of a step.
  void report(std::int32_t local, std::int64_t node, double bytes, Outbox& outbox) const;
  /// Answers the reports of the round before. A node that used more than the limit in its first step may
  /// continue to use that.
  void grant(std::int32_t local, Inbox reports, Outbox& outbox);
  /// Returns what a rank may use more, from the messages of the round before.
  static double granted(Inbox grants);

 private:
  /// Account of a node.
  struct Account {
    double allowed_bytes = 0;
    std::size_t turn = 0;  ///< number of the step
  };

  const RankRounds& rounds_;
  double limit_bytes_;
  std::vector<std::map<std::int64_t, Account>> of_rank_;  ///< accounts that each local rank keeps, by node
};

}  // namespace plimsoll::balance
