#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/balance/inferred_costs.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/lbdata/phases.hpp>
#include <plimsoll/lbdata/statistics.hpp>
#include <plimsoll/support/progress.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Phase at whose end a strategy ran. A program that Plimsoll balances writes these values to `user_defined`
/// of the phase: `lb_name`, `lb_time`, `lb_predicted_gain`, `migration_count`, `migration_time`.
struct BalancedPhase {
  std::int64_t phase = 0;
  std::string strategy;
  std::int64_t n_migrations = 0;           ///< number of migrated objects
  double decision_s = 0;                   ///< time to decide
  double migration_s = 0;                  ///< time to migrate objects
  std::optional<double> predicted_gain_s;  ///< predicted decrease of the maximum load; empty if not recorded
};

/// Returns the phases among these at whose end a strategy ran. All ranks record the same values, so the
/// function reads those of rank 0. Skips phases whose values have other types or are negative, because
/// `user_defined` belongs to the program.
std::vector<BalancedPhase> balanced_phases(const lbdata::Dataset& dataset,
                                           std::span<const std::int64_t> phases);

/// Load balancing in the run that recorded a data set: sums over its BalancedPhases.
struct RecordedBalancing {
  std::vector<std::string> strategies;  ///< names of the strategies, in the order of their first run
  std::int64_t n_phases = 0;            ///< number of phases at whose end a strategy ran
  std::int64_t n_migrated_phases = 0;   ///< number of those at whose end objects migrated
  std::int64_t n_migrations = 0;        ///< number of migrated objects
  double decision_s = 0;                ///< time to decide
  double migration_s = 0;               ///< time to migrate objects
};

/// Returns the sums over the balanced phases among these.
RecordedBalancing recorded_balancing(const lbdata::Dataset& dataset, std::span<const std::int64_t> phases);

/// Object on one rank, with its maximum load over the phases.
struct HeavyObject {
  lbdata::EntityIndex entity = 0;
  std::int32_t rank = 0;   ///< rank on which it ran
  std::int64_t phase = 0;  ///< phase with its maximum load
  double load_s = 0;       ///< load in that phase
};

/// Distribution of loads in seconds.
struct LoadDistribution {
  lbdata::Statistics statistics;
  lbdata::Quartiles quartiles;
};

/// Statistics of the recorded placement in one phase.
struct PhaseOverview {
  std::int64_t phase = 0;
  std::int64_t n_objects = 0;
  std::int64_t n_migratable = 0;  ///< number of migratable objects
  std::int64_t n_edges = 0;       ///< number of recorded edges, including edges with unknown ends
  Quality quality;                ///< quality; its work is empty unless requested
  Bound bound;                    ///< lower bound on the time of any placement
  std::int64_t n_subphases = 0;   ///< number of subphases of the tasks; 0 also if they are invalid
  /// Time of the phase if the ranks synchronise after each subphase, or if they do not: the maximum load.
  double synchronised_time_s = 0;
  double free_time_s = 0;
  double outside_subphases_s = 0;  ///< load of all objects that belongs to no subphase
  LoadDistribution rank_loads;     ///< distribution of the ranks' loads, including ranks without objects
  LoadDistribution object_loads;   ///< distribution of the objects' loads

  /// Returns the time that an even distribution would save: maximum minus mean, in seconds.
  double lost_time_s() const { return quality.max_time_s - quality.mean_time_s; }
  /// Returns whether it matters by more than 1 % whether the ranks synchronise after each subphase.
  bool depends_on_synchronisation() const {
    return n_subphases > 0 && synchronised_time_s > 1.01 * free_time_s;
  }
  /// Returns the maximum possible speedup of a better placement: maximum / bound; 1 if the bound is 0.
  double possible_speedup() const { return bound.time_s > 0 ? quality.max_time_s / bound.time_s : 1; }
  /// Returns the maximum memory of any rank, in bytes; 0 if memory was not read.
  double max_memory_bytes() const { return quality.max_memory_bytes.value_or(0); }
};

/// Overview of all phases of a data set, as `plimsoll info` prints it.
struct DatasetOverview {
  std::vector<PhaseOverview> phases;         ///< phases with data on all ranks, ascending
  std::vector<std::int64_t> partial_phases;  ///< phases with data on some ranks only, which are excluded
  /// Heaviest objects first. Each object appears once per rank, with its heaviest phase.
  std::vector<HeavyObject> heaviest;
  RecordedBalancing balancing;  ///< load balancing in the run that recorded `phases`
  InferredCosts inferred;       ///< costs of features in the last of `phases` that has them
  bool synchronised = false;    ///< OverviewOptions::synchronised

  /// Returns the phase with the maximum lost time, or the first if tied. (The phase with the maximum
  /// imbalance may be too short to matter.) Returns null without phases.
  const PhaseOverview* worst_phase() const;
  /// Returns the phase for which PhaseOverview::depends_on_synchronisation() and whose two times differ most.
  /// Returns null without such a phase.
  const PhaseOverview* most_synchronised_phase() const;
  /// Returns the maximum number of objects over the phases; 0 without phases.
  std::int64_t max_objects() const;
  std::int64_t max_migratable() const;
};

/// Options for the contents and the computation of an overview.
struct OverviewOptions {
  std::optional<WorkCoefficients> work;  ///< coefficients of Quality::work, which is empty without them
  /// Whether to read the memory data of tasks even if the work does not depend on them. Requires `work`.
  bool memory = false;
  /// Whether the ranks synchronise after each subphase: qualities and bounds are those of phase_time().
  bool synchronised = false;
  lbdata::PhaseSelection phases = lbdata::PhaseSelection::all();  ///< phases to include
  std::size_t n_heaviest = 5;  ///< max number of objects in DatasetOverview::heaviest
  unsigned threads = 0;  ///< number of threads; 0: one per processor; each thread holds one phase in memory
  support::Progress* progress = &support::Progress::none();
};

/// Computes the overview of all phases. The result does not depend on the number of threads. Memory: 20 bytes
/// per object of a phase and thread, without memory data. Throws Error (bad_input) for more than 100,000
/// phases, and like load_phase() and WorkModel.
DatasetOverview overview(const lbdata::Dataset& dataset, const OverviewOptions& options = {});

/// Recorded load, objects, memory and traffic of one rank in one phase.
struct RankOverview {
  double load_s = 0;
  std::int64_t n_objects = 0;
  std::int64_t n_migratable = 0;  ///< number of migratable objects
  /// Memory of the rank (MemoryUse); empty if no task of the phase has memory data.
  std::optional<double> memory_bytes;
  double sent_bytes = 0;      ///< bytes sent to other ranks
  double received_bytes = 0;  ///< bytes received from other ranks
  std::int64_t sent_messages = 0;
  std::int64_t received_messages = 0;
};

/// Returns the overviews of all ranks in one phase, as `plimsoll info --ranks` prints them. Cost: expected
/// O(tasks + edges) without memory data. Throws like load_phase() with PhaseColumns::memory.
std::vector<RankOverview> rank_overviews(const lbdata::Dataset& dataset, std::int64_t phase);

}  // namespace plimsoll::balance
