#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <plimsoll/balance/bound.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/recorded_balancing.hpp>
#include <plimsoll/balance/work_model.hpp>
#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/lbdata/phase_selection.hpp>
#include <plimsoll/lbdata/statistics.hpp>
#include <plimsoll/support/progress.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

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
  LoadDistribution rank_loads;    ///< distribution of the ranks' loads, including ranks without objects
  LoadDistribution object_loads;  ///< distribution of the objects' loads

  /// Returns the time that an even distribution would save: maximum minus mean, in seconds.
  double lost_time_s() const { return quality.max_time_s - quality.mean_time_s; }
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

  /// Returns the phase with the maximum lost time, or the first if tied. (The phase with the maximum
  /// imbalance may be too short to matter.) Returns null without phases.
  const PhaseOverview* worst_phase() const;
  /// Returns the maximum number of objects over the phases; 0 without phases.
  std::int64_t max_objects() const;
  std::int64_t max_migratable() const;
};

/// Options for the contents and the computation of an overview.
struct OverviewOptions {
  std::optional<WorkCoefficients> work;  ///< coefficients of Quality::work, which is empty without them
  /// Whether to read the memory data of tasks even if the work does not depend on them. Requires `work`.
  bool memory = false;
  lbdata::PhaseSelection phases = lbdata::PhaseSelection::all();  ///< phases to include
  std::size_t n_heaviest = 5;  ///< max number of objects in DatasetOverview::heaviest
  unsigned threads = 0;  ///< number of threads; 0: one per processor; each thread holds one phase in memory
  support::Progress* progress = &support::Progress::none();
};

/// Computes the overview of all phases. The result does not depend on the number of threads. Memory: 20 bytes
/// per object of a phase and thread, without memory data. Throws Error (bad_input) for more than 100,000
/// phases, and like load_phase() and WorkModel.
DatasetOverview overview(const lbdata::Dataset& dataset, const OverviewOptions& options = {});

}  // namespace plimsoll::balance
