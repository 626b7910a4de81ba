#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <plimsoll/collectives/mpi_calls.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Returns the time outside MPI during which the threads of a rank that call MPI were certainly not on a
/// processor, summed over them, in seconds: time outside MPI minus CPU time of the whole process. It is a
/// lower bound, because polling in MPI and other threads also use CPU time. Returns nothing if it is unknown.
std::optional<double> off_processor_s(const MpiCalls::Rank& rank);

/// Ranks of a host that may use fewer cores than they have threads that call MPI.
struct Oversubscription {
  std::string host;
  std::uint64_t ranks = 0;
  std::uint64_t threads = 0;  ///< that call MPI
  std::uint64_t cores = 0;
  friend bool operator==(const Oversubscription&, const Oversubscription&) = default;
};

/// Returns the ranks that share cores with the most threads per core: those of a host that may use no other
/// cores than some set, which is the cores of one of them, or those of all. Returns nothing if each such set
/// has a core per thread that calls MPI, or if cores are unknown. Cost: O(ranks x different sets of cores per
/// host).
std::optional<Oversubscription> find_oversubscription(const MpiCalls& calls);

/// Time that ranks were not on a processor: outside MPI certainly, with its cause, and ready to run in the
/// whole run.
struct ProcessorUse {
  /// Cause of most of the time off the processor.
  enum class Cause {
    oversubscribed,  ///< they were ready to run most of it, but share cores with each other
    interrupted,     ///< they were ready to run most of it, but other threads or a limit took the cores
    waiting,         ///< they slept or waited most of it, such as for files
    unknown
  };

  double off_s = 0;      ///< sum of off_processor_s()
  double outside_s = 0;  ///< time outside MPI of the ranks for which that is known
  Cause cause = Cause::unknown;
  /// Time in and outside MPI that the threads that called MPI_Init certainly were ready to run, but had no
  /// core while they did not wait for other ranks: that time minus the measured waiting, as far as it is
  /// known. Ranks that poll for others need no core.
  double without_core_s = 0;
  std::optional<Oversubscription> oversubscription;

  /// Returns the part of the time outside MPI; 0 if it is unknown.
  double off_share() const { return outside_s > 0 ? off_s / outside_s : 0; }
};

/// Returns "oversubscribed", "interrupted", "waiting" or "unknown".
const char* to_string(ProcessorUse::Cause cause);

/// Sums up all ranks. The cause is that of the sum. It follows from the times that ranks were ready to run
/// without a core: outside MPI, this is at least that time minus their time in MPI, and at most that time. If
/// it is unknown, it is at most 0.1 s per involuntary context switch.
ProcessorUse processor_use(const MpiCalls& calls);

}  // namespace plimsoll::collectives
