#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <plimsoll/collectives/comparison.hpp>
#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Calls of one operation on one communicator. Leads are matched by rank, regardless of their jobs.
struct CallsOnCommunicator {
  std::uint32_t lead = 0;
  std::uint32_t communicator = 0;  ///< id on the lead
  Operation operation;
};

/// A call in which ranks sent or received other data than in the other run.
struct ContentDifference : CallsOnCommunicator {
  std::uint64_t call = 0;  ///< id on the lead
  // Ranks of MPI_COMM_WORLD, or of the communicator if its members are unknown.
  NumberList sent;      ///< ranks that sent other data
  NumberList received;  ///< ranks that received other data
  /// Frames of the call stack of the lead, innermost first; empty if not recorded.
  std::vector<std::string> frames;
};

/// Calls whose data cannot be compared, because the communicator has other ranks in the other run, or because
/// only one run has hashes of them.
struct UnmatchedCalls : CallsOnCommunicator {
  /// Calls of one run.
  struct Part {
    NumberList calls;             ///< ids; empty if the run has no such calls
    std::uint32_t comm_size = 0;  ///< 0 if the run has no hashes of this operation and communicator
    NumberList members;           ///< ranks of MPI_COMM_WORLD; empty if unknown
  };
  BeforeAfter<Part> runs;
};

/// Differences between the data of two runs.
struct ContentComparison {
  std::uint64_t calls = 0;            ///< number of calls that were compared
  std::uint64_t differing_calls = 0;  ///< number of these calls with a difference
  std::uint64_t sent = 0;             ///< number of hashes of sent data that were compared
  std::uint64_t received = 0;         ///< number of hashes of received data that were compared
  /// First difference of each operation and communicator. Ordered by the times at which these calls began in
  /// the first run, if all of these are known; else by lead, operation and communicator.
  std::vector<ContentDifference> differences;
  std::vector<UnmatchedCalls> unmatched;  ///< ordered by lead, operation and communicator

  bool equal() const { return differences.empty() && unmatched.empty(); }  ///< no differences at all
};

/// Returns whether a profile contains hashes of data.
bool has_hashes(const Profile& profile);

/// Compares the data that ranks sent and received in two runs, by their hashes. Cost: O(hashes).
ContentComparison compare_contents(const Profile& before, const Profile& after);

}  // namespace plimsoll::collectives
