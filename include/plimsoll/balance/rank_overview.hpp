#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

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
