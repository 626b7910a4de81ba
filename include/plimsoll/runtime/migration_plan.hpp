#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <plimsoll/runtime/move.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Migrations that a strategy decided on. Each rank has its own exports and imports; the other members are
/// the same on all ranks.
struct MigrationPlan {
  std::vector<Move> exports;  ///< objects that leave this rank
  /// Objects that come to this rank, sorted by the rank that they leave; those from one rank have the order
  /// of its exports.
  std::vector<Move> imports;
  std::int64_t moves = 0;  ///< number of objects that migrate, over all ranks
  std::string strategy;    ///< strategy that decided; empty if none ran
  /// Maximum time of a rank in the next phase, predicted without and with the migrations. Both are 0 if no
  /// strategy ran, and for OfflineLB and TestSerializationLB, which predict nothing.
  double max_time_before_s = 0;
  double max_time_after_s = 0;
  double mean_time_s = 0;  ///< predicted mean time of the ranks
  double decision_s = 0;   ///< wall-clock time to gather the loads, decide, and distribute the decision
  std::string remark;      ///< why a strategy missed its target, or why nothing migrates; may be empty

  /// Returns the predicted gain per phase, in seconds.
  double gain_s() const { return max_time_before_s - max_time_after_s; }
  /// Returns whether no object migrates on any rank.
  bool empty() const { return moves == 0; }
};

}  // namespace plimsoll::runtime

namespace plimsoll::PLIMSOLL_ABI {
using runtime::MigrationPlan;
}  // namespace plimsoll
