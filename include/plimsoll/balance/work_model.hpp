#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/limits.hpp>

namespace plimsoll::inline v0_1::balance {

/// Coefficients of the affine work model. Work is in seconds if beta and delta are in seconds a byte.
struct WorkCoefficients {
  double alpha = 1;                      ///< times the rank's own `rank_alpha`, of seconds of load
  double beta = 0;                       ///< of bytes sent or received, whichever is more
  double gamma = 0;                      ///< of every rank, idle ones too
  double delta = 0;                      ///< of bytes of shared blocks used away from home
  std::optional<double> beta_node = {};  ///< of bytes between ranks of one node; beta if not given

  /// What a byte between two different ranks costs.
  double of_byte(const ProcStats& from, const ProcStats& to) const {
    return from.node >= 0 && from.node == to.node ? beta_node.value_or(beta) : beta;
  }
  bool weigh_traffic() const { return beta != 0 || beta_node.value_or(0) != 0; }
};

/// Work and memory of each rank, and of all.
struct WorkSummary {
  std::vector<double> work;               ///< of each rank
  std::vector<double> memory_bytes;       ///< of each rank (MemoryUse); empty if it isn't known
  std::vector<double> node_memory_bytes;  ///< of the node of each rank; empty if it isn't known
  bool within_memory = true;              ///< no rank and no node has more memory than allowed
  double sum = 0;                         ///< over the ranks
  double max = 0;                         ///< over the ranks
  double imbalance = 0;                   ///< max / mean - 1; not a number unless the mean is above 0
};

/// Whether an edge counts in the work model: a SendRecv edge between two objects.
bool is_traffic(const LDStats& stats, std::size_t edge);

/// Work of each rank for any placement of the objects:
/// work(r) = alpha rank_alpha(r) load(r) + max(sent(r), received(r)) + gamma + delta homing(r).
///
/// load(r) is when r finishes: bg_walltime + load / pe_speed. sent and received are the bytes of SendRecv
/// edges between objects, of which one is on r and the other is not, times beta, or times beta_node if both
/// ranks are on one node. homing(r) is the size of the distinct shared blocks that objects on r use and that
/// are at home elsewhere. Source: AffineCombination of LBAF 1.6; different from it, repeated edges between
/// two objects add up.
class WorkModel {
 public:
  /// The stats must outlive the model; blocks and memory count if they have LDStats::memory. Of the limits,
  /// those of memory count.
  WorkModel(const LDStats& stats, const WorkCoefficients& coefficients, const Limits& limits = {})
      : stats_(stats), coefficients_(coefficients), limits_(limits) {}

  /// `placement` is the rank of each object, such as stats.from_proc.
  /// O(edges + objects log objects). Throws as finish_times().
  WorkSummary evaluate(std::span<const std::int32_t> placement) const;

 private:
  void add_traffic(std::span<const std::int32_t> placement, std::vector<double>& work) const;
  void add_memory(std::span<const std::int32_t> placement, WorkSummary& summary) const;

  const LDStats& stats_;
  WorkCoefficients coefficients_;
  Limits limits_;
};

}  // namespace plimsoll::balance
