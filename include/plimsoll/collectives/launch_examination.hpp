#pragma once

#include <optional>
#include <string>
#include <vector>

#include <plimsoll/collectives/profile_launch.hpp>
#include <plimsoll/support/examination.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Launcher to examine.
struct LaunchToExamine {
  /// Launcher with its options, such as mpirun -n 2. If empty, examines the first launcher in PATH, with two
  /// ranks.
  std::vector<std::string> launcher;
  std::optional<MpiFlavour> mpi;  ///< MPI of the job; if unset, that of the launcher
  double time_limit_s = 60;       ///< for the run of the launcher
};

/// Examines whether `plimsoll profile` would work: finds the launcher and the profiler's library for its MPI,
/// and runs grep under both, in place of a program. Each rank reports whether the library was preloaded, and
/// which processors it may use. Does not call MPI.
std::vector<support::Examination> examine_launch(const LaunchToExamine& job);

}  // namespace plimsoll::collectives
