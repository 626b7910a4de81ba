#pragma once

#include <mpi.h>

#include "interpose/lifecycle/run.hpp"
#include "interpose/path/critical_path.hpp"

/// The critical path as a sink: --record critical-path.
namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Begins to follow messages on all ranks: collective. Returns false on all ranks, and lets rank 0 say why,
/// if threads may call MPI at the same time on one of them. The waits are in `file` unless it is null.
bool start_path(const Run& run, collectives::SumsFile* file);

namespace detail {
inline CriticalPath* path = nullptr;  ///< never destroyed, because callbacks of MPI_Finalize follow
}  // namespace detail

/// Returns the path; null if it is not followed.
inline CriticalPath* current_path() {
  return detail::path;
}

/// Runs a function with the path. An exception makes the path unknown, but does not end the notes, for which
/// other ranks wait. Those of the program's error handler, and the end of the thread, continue.
template <class Use>
void with_path(Use&& use) {
  CriticalPath* const path = current_path();
  if (!path) return;
  try {
    use(*path);
  } catch (const std::exception&) {
    path->lose(CriticalPath::Unknown::errors);
  } catch (...) {
    path->lose(CriticalPath::Unknown::errors);
    throw;
  }
}

/// Returns whether completions must have statuses, which tell the messages that receives got.
inline bool needs_statuses() {
  const CriticalPath* const path = current_path();
  return path && path->needs_statuses();
}

/// Result on all ranks.
struct PathResult {
  Waits waits;  ///< of this rank
  /// Whether and why the path is unknown, on any rank.
  CriticalPath::Unknown unknown = CriticalPath::Unknown::no;
  std::int64_t ideal_ns = 0;  ///< longest chain of all ranks
  PartTimes ideal_times;      ///< advance of this rank's ideal clock
  /// Whether regions were followed on all ranks: only their threads called MPI.
  bool follows_regions = false;
};

/// Ends the path on all ranks: collective.
PathResult finish_path(const Run& run);

}  // namespace plimsoll::interpose
