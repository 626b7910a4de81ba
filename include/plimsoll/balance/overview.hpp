#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <plimsoll/balance/bound.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/work_model.hpp>
#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/support/progress.hpp>

namespace plimsoll::inline v0_1::balance {

/// An object and what it took in a phase.
struct HeavyObject {
  lbdata::EntityIndex entity = 0;
  std::int32_t rank = 0;   ///< on which it ran
  std::int64_t phase = 0;  ///< its heaviest
  double load_s = 0;       ///< in that phase
};

/// How a phase is placed on its ranks, as recorded.
struct PhaseOverview {
  std::int64_t phase = 0;
  std::int64_t n_objects = 0;
  std::int64_t n_migratable = 0;  ///< of the objects
  std::int64_t n_edges = 0;       ///< recorded, also those with unknown ends
  Quality quality;                ///< its work is empty unless asked for
  Bound bound;                    ///< on the time of any placement

  /// The time that an even spread would save: maximum minus mean, in seconds.
  double lost_time_s() const { return quality.max_time_s - quality.mean_time_s; }
  /// How many times as fast the best placement can be at most: maximum / bound; 1 if the bound is 0.
  double possible_speedup() const { return bound.time_s > 0 ? quality.max_time_s / bound.time_s : 1; }
  /// Maximum over the ranks, in bytes; 0 if memory was not read.
  double max_memory_bytes() const;
};

/// All phases of a data set, as `plimsoll info` shows them.
struct DatasetOverview {
  std::vector<PhaseOverview> phases;         ///< those with data on all ranks, ascending
  std::vector<std::int64_t> partial_phases;  ///< those with data on some ranks, which are left out
  /// Heaviest first. Each object of a rank once, with its heaviest phase.
  std::vector<HeavyObject> heaviest;

  /// The phase that loses most time, not the most uneven one, which may be short; the first of equals. Null
  /// if there are no phases.
  const PhaseOverview* worst_phase() const;
  /// Maxima over the phases; 0 without phases.
  std::int64_t max_objects() const;
  std::int64_t max_migratable() const;
};

/// What an overview is to contain beyond loads, and how it is computed.
struct OverviewOptions {
  std::optional<WorkCoefficients> work;  ///< if not given, Quality::work stays empty
  /// Whether to read what tasks say of memory, also if the work doesn't depend on it. Takes effect with
  /// `work`.
  bool memory = false;
  std::size_t n_heaviest = 5;  ///< objects in DatasetOverview::heaviest, at most
  unsigned threads = 0;        ///< 0: one per processor; each holds a phase
  support::Progress* progress = &support::Progress::none();
};

/// Throws as load_phase() and WorkModel do. The result does not depend on the number of threads.
DatasetOverview overview(const lbdata::Dataset& dataset, const OverviewOptions& options = {});

}  // namespace plimsoll::balance
