#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/collectives/mpi_calls.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Returns whether a run ended before MPI_Finalize, and no MPI call of it is known: its times are then those
/// of no work.
bool knows_no_calls(const MpiCalls& calls);

/// Returns the number of threads of a rank that share its time in MPI. If the number is unknown, returns the
/// fewest that can have spent this time.
double mpi_threads(const MpiCalls::Rank& rank);

/// Returns the useful time of a rank, in seconds: wall time minus time in MPI, as the mean over its threads
/// that call MPI. A thread counts from MPI_Init to MPI_Finalize, even if it lives shorter. Returns nothing if
/// nothing was recorded on the rank, or if its threads spent more than the wall time in MPI, and their number
/// is unknown.
std::optional<double> useful_s(const MpiCalls::Rank& rank);

/// The efficiency of a run and the factors whose product it is, from 0 to 1, as the centre for Performance
/// Optimisation and Productivity defines them (https://pop-coe.eu, "POP Standard Metrics for Parallel
/// Performance Analysis"). With the useful times u of the ranks and the longest wall time T:
struct Efficiencies {
  double parallel = 0;      ///< mean(u) / T = load balance x communication
  double load_balance = 0;  ///< mean(u) / max(u) = between nodes x within nodes
  /// mean(u) / maximum over nodes of the mean of the node's ranks. Each node weighs as many ranks as it has:
  /// no mean is then above the maximum, so neither factor exceeds 1, even if nodes have different numbers of
  /// ranks. Empty, as within_nodes, if the host of a rank is unknown.
  std::optional<double> between_nodes;
  std::optional<double> within_nodes;   ///< maximum over nodes of their means / max(u)
  double communication = 0;             ///< max(u) / T = serialisation x transfer
  std::optional<double> serialisation;  ///< max(u) / ideal run time; empty, as transfer, if that is unknown
  std::optional<double> transfer;       ///< ideal run time / T
};

/// The useful times of ranks in a run, or in a part of it.
struct UsefulTimes {
  /// Times of a rank.
  struct Rank {
    std::string_view host;  ///< of the MpiCalls; empty if unknown
    double wall_s = 0;
    double useful_s = 0;
  };
  std::vector<Rank> ranks;
  /// Run time on a network of zero cost: MpiCalls::ideal_s, or in a part of the run the longest
  /// MpiCalls::Part::ideal_s of a rank; empty if unknown.
  std::optional<double> ideal_s;
};

/// Returns the useful times of a run; nothing if that of a rank is unknown, as if it was recorded for less
/// than half of the run.
std::optional<UsefulTimes> useful_times(const MpiCalls& calls);
/// Returns those in windows of time, under the same conditions.
std::optional<UsefulTimes> useful_times(const MpiCalls& calls, const MpiCalls::Part& window);
/// Returns those in a region, of the ranks that were in it. They are those of the thread that marks regions.
UsefulTimes useful_times(const MpiCalls& calls, const MpiCalls::Region& region);

/// Returns why serialisation and transfer of a run are unknown, as a clause; empty if they are known.
std::string why_transfer_is_unknown(const MpiCalls& calls);

/// Returns the efficiencies; nothing if the useful time of all ranks is 0. T is the longest wall time of a
/// rank, also in a region, to which ranks come at different times. The ideal run time counts at most as T,
/// and at least as max(u): in a part of the run, ranks may wait longer on a network of zero cost than they
/// did, because they spent time on transfers before. Cost: O(ranks x log nodes).
std::optional<Efficiencies> efficiencies(const UsefulTimes& times);
/// Returns those of a run; nothing if its useful times are unknown.
std::optional<Efficiencies> efficiencies(const MpiCalls& calls);

/// An efficiency and its name, for tables. `depth` is its depth in the tree of factors: the efficiency is the
/// product of the following ones that are one level deeper.
struct Factor {
  const char* name;     ///< such as "load balance"
  const char* meaning;  ///< of the value 1, such as "same work on all ranks"
  int depth;
  std::optional<double> value;
};

/// Lists all efficiencies, each one before its factors.
std::vector<Factor> factors(const Efficiencies& efficiencies);

/// How fast cores computed, in all threads of all ranks in user mode. MPI's own instructions are included:
/// ranks that wait in MPI may execute many of them.
struct CoreSpeed {
  double instructions = 0;
  double per_cycle = 0;     ///< instructions per cycle (IPC)
  double frequency_hz = 0;  ///< cycles per second of CPU time in user mode
};

/// Returns the speed of the cores in a run; nothing unless instructions, cycles and CPU times of all ranks
/// are known.
std::optional<CoreSpeed> core_speed(const MpiCalls& calls);

/// A run with the name that the user gave it.
struct NamedRun {
  std::string name;
  MpiCalls calls;
};

/// A run in a comparison of runs of the same problem. Values in relation to the first run are empty if the
/// times that they need are unknown or 0.
struct ScaledRun {
  std::string name;
  std::size_t ranks = 0;
  double wall_s = 0;               ///< longest wall time of a rank
  std::optional<double> speedup;   ///< wall time of the first run / of this one
  std::optional<double> useful_s;  ///< total useful time of all threads that call MPI
  std::optional<Efficiencies> efficiencies;
  std::optional<double> computation;  ///< computation scaling: useful_s of the first run / of this one
  std::optional<double> global;       ///< global efficiency: parallel efficiency x computation scaling
  std::optional<CoreSpeed> cores;     ///< core_speed()
  // In relation to the first run, as far as instructions, instructions per cycle and frequency explain
  // `computation`, which is their product if ranks execute no instructions in MPI.
  std::optional<double> instruction_scaling;  ///< instructions of the first run / of this one
  std::optional<double> ipc_scaling;          ///< instructions per cycle of this run / of the first one
  std::optional<double> frequency_scaling;    ///< frequency of this run / of the first one
  /// Part of the time in MPI at call sites that the first run has, too: the same function and line of source
  /// code. Little for a run of another program; 1 without time in MPI.
  double at_common_sites = 1;
};

/// Compares runs of the same problem (strong scaling). Sorts them by their ranks; the first run is then the
/// one with the fewest ranks.
std::vector<ScaledRun> compare_scaling(std::vector<NamedRun> runs);

}  // namespace plimsoll::collectives
