#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/limits.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/lbdata/dataset.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Traffic that each rank sends to, and receives from, other ranks.
struct RankTraffic {
  explicit RankTraffic(std::size_t n_ranks)
      : sent_bytes(n_ranks), received_bytes(n_ranks), sent_messages(n_ranks), received_messages(n_ranks) {}

  std::vector<double> sent_bytes;
  std::vector<double> received_bytes;
  std::vector<std::int64_t> sent_messages;
  std::vector<std::int64_t> received_messages;

  /// Adds an edge; edges within one rank are ignored.
  void add(std::uint32_t from, std::uint32_t to, double bytes, std::int64_t messages);
  /// Returns the total bytes sent between ranks.
  double off_rank_bytes() const;
  std::int64_t off_rank_messages() const;
};

/// Computes the traffic of the edges of comm_data for objects at `placement`. Edges within one rank are
/// ignored. Cost: O(edges). Throws Error (usage) for a placement of another length.
RankTraffic rank_traffic(const LDStats& stats, std::span<const std::int32_t> placement);

/// Coefficients of the affine work model. Work is in seconds if beta and delta are in seconds per byte.
struct WorkCoefficients {
  double alpha = 1;  ///< factor of the load in seconds; multiplied by the rank's `rank_alpha`
  double beta = 0;   ///< cost per byte of max(sent, received)
  double gamma = 0;  ///< cost of every rank, including idle ranks
  double delta = 0;  ///< cost per off-home shared-block byte
  std::optional<double> beta_node = {};  ///< cost per byte between ranks of one node; default: beta

  /// Returns the cost per byte between two different ranks on these nodes (ProcStats::node).
  double of_byte(std::int64_t from_node, std::int64_t to_node) const {
    return from_node >= 0 && from_node == to_node ? beta_node.value_or(beta) : beta;
  }
  bool weigh_traffic() const { return beta != 0 || beta_node.value_or(0) != 0; }
};

/// Work and memory per rank, and totals.
struct WorkSummary {
  std::vector<double> work;               ///< work of each rank
  std::vector<double> memory_bytes;       ///< memory of each rank (MemoryUse); empty if unknown
  std::vector<double> node_memory_bytes;  ///< memory of each rank's node; empty if unknown
  bool within_memory = true;              ///< whether all ranks and nodes are within the memory limits
  double sum = 0;                         ///< sum over the ranks
  /// Maximum over the ranks. With LDStats::subphases, the sum over the subphases of the maximum of alpha
  /// times the load; other work counts in SubphaseLoads::outside.
  double max = 0;
  double imbalance = 0;  ///< max / mean - 1; NaN unless the mean is above 0
};

/// Cost of the traffic that each rank sends and receives.
struct TrafficCost {
  std::vector<double> sent;
  std::vector<double> received;

  explicit TrafficCost(std::size_t n_ranks) : sent(n_ranks), received(n_ranks) {}
  void add(std::size_t from, std::size_t to, double cost) {
    sent[from] += cost;
    received[to] += cost;
  }
};

/// Traffic of a recorded placement.
struct RecordedTraffic {
  RankTraffic traffic;
  TrafficCost cost;
  std::int64_t n_edges = 0;  ///< number of recorded edges, including edges with unknown ends
};

/// Computes the traffic of a phase as recorded, and its cost in the work model. The results are the same as
/// for the LDStats of the phase, which need not be loaded. Cost: expected O(tasks + edges); about 20 bytes of
/// memory per task. Throws like load_phase() for missing phases and invalid edges.
RecordedTraffic recorded_traffic(const lbdata::Dataset& dataset, std::int64_t phase,
                                 const WorkCoefficients& coefficients = {});

/// Returns whether the work model counts an edge, i.e. whether it is a SendRecv edge between two objects.
bool is_traffic(const LDStats& stats, std::size_t edge);

/// Work model, which computes the work of each rank for any placement of the objects:
///
///     work(r) = alpha rank_alpha(r) load(r) + max(sent(r), received(r)) + gamma + delta homing(r)
///
/// load(r) is the time when r finishes: bg_walltime + load / pe_speed. sent and received are costs of
/// SendRecv edges between an object on r and an object on another rank: their bytes times beta, or times
/// beta_node if both ranks are on one node. homing(r) is the size of the distinct shared blocks that objects
/// on r use and whose home is another rank. Source: AffineCombination of LBAF 1.6. Unlike LBAF, repeated
/// edges between two objects add up.
class WorkModel {
 public:
  /// Creates a model for these stats, which must outlive it. Shared blocks and memory are included if the
  /// stats have LDStats::memory. Only the memory limits of `limits` are used.
  WorkModel(const LDStats& stats, const WorkCoefficients& coefficients, const Limits& limits = {})
      : stats_(stats), coefficients_(coefficients), limits_(limits) {}

  /// Computes the work for a placement: the rank of each object, such as stats.from_proc. With the cost of
  /// the traffic of each rank, the stats need no edges. Cost: O(edges + objects log objects). Throws like
  /// finish_times().
  WorkSummary evaluate(std::span<const std::int32_t> placement, const TrafficCost* traffic = nullptr) const;

 private:
  TrafficCost traffic_cost(std::span<const std::int32_t> placement) const;
  double max_work(std::span<const std::int32_t> placement, std::span<const double> work) const;
  void add_memory(std::span<const std::int32_t> placement, WorkSummary& summary) const;

  const LDStats& stats_;
  WorkCoefficients coefficients_;
  Limits limits_;
};

/// Quality of a placement, and the cost to migrate to it from from_proc.
struct Quality {
  double max_time_s = 0;   ///< time of the phase (phase_time()): the maximum finish time without subphases
  double mean_time_s = 0;  ///< mean finish time over all processors
  double imbalance = 0;    ///< max / mean - 1; NaN unless the mean is above 0

  std::int64_t n_moved = 0;  ///< number of objects whose processor differs from from_proc
  double moved_load_s = 0;   ///< load of these objects at speed 1
  double moved_bytes = 0;    ///< bytes that their migrations send, if known (LDStats::memory)

  double off_rank_bytes = 0;           ///< bytes of edges between two ranks
  std::int64_t off_rank_messages = 0;  ///< messages of edges between two ranks
  WorkSummary work;                    ///< work with the given coefficients; empty without them

  /// Maximum memory of a rank in bytes (MemoryUse), without serialised objects; empty if unknown or if all
  /// sizes are 0.
  std::optional<double> max_memory_bytes;
  /// Maximum memory of a node in bytes, summed over its ranks; empty if the memory or the nodes are unknown.
  std::optional<double> max_node_memory_bytes;
};

/// Computes the quality of a placement. Cost: O(edges + objects log objects). Throws like finish_times().
Quality assess(const LDStats& stats, std::span<const std::int32_t> placement,
               const WorkCoefficients& coefficients = {});

/// Computes the quality of from_proc from its recorded traffic, so that the stats need no edges. Without
/// `work`, Quality::work and the memory are empty. Throws like assess().
Quality assess_recorded(const LDStats& stats, const RecordedTraffic& traffic,
                        const std::optional<WorkCoefficients>& work);

/// Returns whether `left` is better than `right` in one or more metrics and worse in none. The metrics are
/// maximum work (which is the maximum time with default coefficients), maximum memory per rank and node (if
/// known), off-rank bytes, migrated objects and migrated bytes. Relative differences below 1e-9 are ignored.
/// Requires Quality::work.
bool dominates(const Quality& left, const Quality& right);

/// Returns how far a placement is above the lower bound: max_time_s / bound - 1; 0 if the bound is 0.
double above_bound(const Quality& quality, const Bound& bound);

}  // namespace plimsoll::balance
