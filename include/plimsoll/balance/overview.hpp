#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/balance/bound.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/work_model.hpp>
#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/support/progress.hpp>

namespace plimsoll::balance {

/// An object and what it took in a phase.
struct HeavyObject {
  lbdata::EntityIndex entity = 0;
  std::int32_t rank = 0;
  std::int64_t phase = 0;
  double load_s = 0;
};

/// How a phase is placed on its ranks, as recorded.
struct PhaseOverview {
  std::int64_t phase = 0;
  std::int64_t n_objects = 0;
  std::int64_t n_migratable = 0;
  std::int64_t n_edges = 0;
  Quality quality;
  Bound bound;
};

/// All phases of a data set, as `plimsoll info` shows them.
struct DatasetOverview {
  std::vector<PhaseOverview> phases;         ///< those with data on all ranks, ascending
  std::vector<std::int64_t> partial_phases;  ///< those with data on some ranks, which are left out
  /// Heaviest first. Each object of a rank once, with its heaviest phase.
  std::vector<HeavyObject> heaviest;
};

/// What an overview is to contain beyond loads, and how it is computed.
struct OverviewOptions {
  WorkCoefficients work = {};
  bool memory = false;  ///< whether to read what tasks say of memory, also if the work doesn't depend on it
  std::size_t n_heaviest = 5;
  unsigned threads = 0;  ///< 0: one per processor; each holds a phase
  support::Progress* progress = &support::Progress::none();
};

/// Throws as load_phase() and WorkModel do. The result does not depend on the number of threads.
DatasetOverview overview(const lbdata::Dataset& dataset, const OverviewOptions& options = {});

}  // namespace plimsoll::balance
