#pragma once

#include <plimsoll/collectives/mpi_summary.hpp>
#include <plimsoll/collectives/patterns.hpp>
#include <plimsoll/collectives/summary.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Value of one quantity in the first and in the second profile.
template <class Number>
struct BeforeAfter {
  Number before{};
  Number after{};
};

/// Calls of one operation with the same counts and type sizes, led by the same rank, in any job.
struct SignatureChange {
  std::uint32_t lead = 0;
  Operation operation;
  std::uint32_t comm_size = 0;
  std::uint64_t bytes = 0;  ///< bytes sent per call
  BeforeAfter<std::uint64_t> calls;
  BeforeAfter<std::uint64_t> first_call;  ///< meaningful only if `calls` is not 0
};

/// Calls of one operation with the same shape, led by the same rank, in any job.
struct PatternChange {
  std::uint32_t lead = 0;
  Operation operation;
  Shape shape;
  BeforeAfter<std::uint64_t> calls;
  BeforeAfter<std::uint64_t> bytes;
};

/// Relation between the exchanges of two profiles.
enum class CountsVerdict {
  same,         ///< same counts in the same calls
  reordered,    ///< same counts equally often, but in other calls
  other_calls,  ///< same counts, but in a different number of calls
  different     ///< some counts occur in only one profile
};

/// Returns a readable text such as "same counts".
const char* to_string(CountsVerdict verdict);

/// Changes between two runs.
struct Comparison {
  BeforeAfter<Summary> summary;
  CountsVerdict verdict = CountsVerdict::same;
  std::vector<SignatureChange> signatures;  ///< ordered by lead, operation and first call
  std::vector<PatternChange> patterns;      ///< ordered by lead and operation
};

/// Compares two runs. Leads are matched by rank, regardless of their jobs. Cost: O(numbers of both profiles).
/// Throws Error (bad_input) if a profile contains no counts.
Comparison compare(const Profile& before, const Profile& after, const SummaryOptions& options = {});

/// Calls of an MPI function in two runs, summed over all ranks.
struct MpiFunctionChange {
  std::string name;
  BeforeAfter<std::uint64_t> calls;
  BeforeAfter<double> time_s;
};

/// Comparison of the MPI calls of two runs, which may have different numbers of ranks.
struct MpiComparison {
  BeforeAfter<MpiSummary> summary;
  std::vector<MpiFunctionChange> functions;  ///< those with the largest difference of their times first
};

/// Compares the MPI calls of two runs. Cost: that of summarize() for each.
MpiComparison compare(const MpiCalls& before, const MpiCalls& after);

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
