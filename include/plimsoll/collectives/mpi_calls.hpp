#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/collectives/number_list.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// What the MPI calls of a whole program cost, in sums: by call site, by function and rank, and by pair of
/// ranks (`--record mpi`). All times are wall-clock times in seconds between the end of MPI_Init and the time
/// when the last rank calls MPI_Finalize. Calls that MPI makes itself are not counted.
struct MpiCalls {
  /// A process of MPI_COMM_WORLD.
  struct Rank {
    std::string host;
    double wall_s = 0;  ///< between these times, without pauses
    double mpi_s = 0;   ///< in MPI functions; for several threads, the sum of all threads
    /// Time waited for other ranks in all calls, as far as it was measured; empty if calls may have waited
    /// and nothing was measured.
    std::optional<double> waited_s = {};
    /// Maximum number of threads that had called MPI and not ended, at a time; empty if unknown.
    std::optional<std::uint32_t> threads = {};
    // Use of the processors by all threads of the process, in the same time as wall_s; empty if unknown.
    std::optional<double> user_s = {};                       ///< CPU time in user mode
    std::optional<double> system_s = {};                     ///< CPU time in the operating system
    std::optional<std::uint64_t> voluntary_switches = {};    ///< a thread waited or slept
    std::optional<std::uint64_t> involuntary_switches = {};  ///< another thread got the core
    /// Time that the thread that called MPI_Init was ready to run, but had no core.
    std::optional<double> core_wait_s = {};
    // Counts of the processor in user mode, also in MPI.
    std::optional<std::uint64_t> instructions = {};
    std::optional<std::uint64_t> cycles = {};
    NumberList cores = {};                                ///< cores that the process may use
    std::optional<std::uint64_t> peak_memory_bytes = {};  ///< largest resident memory so far
    friend bool operator==(const Rank&, const Rank&) = default;
  };

  /// Calls that transfer `min_bytes` to `max_bytes` each: that they send, or receive if they send nothing.
  /// Sums over all ranks.
  struct SizeClass {
    std::uint64_t min_bytes = 0;
    std::optional<std::uint64_t> max_bytes = {};  ///< empty: without limit
    std::uint64_t calls = 0;
    double time_s = 0;
    friend bool operator==(const SizeClass&, const SizeClass&) = default;
  };

  /// An MPI function, with values of each rank.
  struct Function {
    std::string name;                   ///< the C name, e.g. "MPI_Send", also for calls from Fortran
    std::vector<std::uint64_t> calls;   ///< by rank
    std::vector<double> time_s;         ///< by rank
    std::vector<SizeClass> sizes = {};  ///< ascending, without empty classes; empty if unknown
    /// Time of all ranks in each window of MpiCalls::windows; empty if unknown.
    std::vector<double> window_times_s = {};
    friend bool operator==(const Function&, const Function&) = default;
  };

  /// Time outside MPI before the calls from a site, since the previous call of the same thread. For several
  /// threads, the mean over a rank's threads that call MPI.
  struct WorkBefore {
    double sum_s = 0;      ///< over all ranks
    double busiest_s = 0;  ///< on the rank with the most time outside MPI in the run, the first of several
    /// Number in `sites` of the call after which that rank spent at least 90 % of `busiest_s`, if one is.
    std::optional<std::uint32_t> previous_site = {};
    friend bool operator==(const WorkBefore&, const WorkBefore&) = default;
  };

  /// Calls at a site, in sums over all ranks, that were made through the same calls of other functions.
  struct Stack {
    /// Places of these calls, from the inside out: the function of the site was called at the first of them.
    std::vector<std::string> locations;
    std::uint64_t calls = 0;
    double time_s = 0;
    // Empty if unknown.
    std::optional<std::uint64_t> sent_bytes = {};      ///< as in Site
    std::optional<std::uint64_t> received_bytes = {};  ///< as in Site
    std::optional<double> waited_s = {};               ///< part of Site::waited_s
    friend bool operator==(const Stack&, const Stack&) = default;
  };
  static constexpr std::size_t max_stacks = 1000;  ///< at one site

  /// A call of an MPI function in the source code, with sums over all ranks that made it.
  struct Site {
    std::uint32_t function = 0;  ///< number in `functions`
    /// module(function+0xoffset) [0xaddress] file:line, as in backtraces; one of the marks below may follow.
    std::string location;
    std::uint32_t ranks = 0;  ///< ranks that made the call
    std::uint64_t calls = 0;
    std::uint64_t failed_calls = 0;    ///< among `calls`; their data do not count
    std::uint64_t sent_bytes = 0;      ///< data in send buffers: counts times MPI_Type_size
    std::uint64_t received_bytes = 0;  ///< data that arrived, if the function knows it when it returns
    double time_s = 0;
    double max_time_s = 0;           ///< largest time of a rank
    double min_time_s = 0;           ///< least time of a rank that made the call
    std::uint32_t slowest_rank = 0;  ///< rank with `max_time_s`
    std::uint32_t fastest_rank = 0;  ///< rank with `min_time_s`
    double longest_call_s = 0;
    /// Time that ranks waited in this call for the ranks on which it depends, as measured; empty if it was
    /// not.
    std::optional<double> waited_s = {};
    /// Callers, in descending order of time; those of all other calls are unknown.
    std::vector<Stack> callers = {};
    std::optional<WorkBefore> work_before = {};  ///< empty if unknown
    friend bool operator==(const Site&, const Site&) = default;
  };

  /// Point-to-point messages and one-sided transfers from one rank to another, as ranks of MPI_COMM_WORLD.
  struct Traffic {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    friend bool operator==(const Traffic&, const Traffic&) = default;
  };

  /// Times of all ranks in a part of the run, by rank.
  struct Part {
    std::vector<double> wall_s;    ///< without pauses
    std::vector<double> mpi_s;     ///< in MPI functions, as Rank::mpi_s
    std::vector<double> waited_s;  ///< part of Rank::waited_s; empty if unknown
    /// Time that each rank would need on a network of zero cost: its part of MpiCalls::ideal_s; empty if
    /// unknown. It includes waiting for other ranks. It may exceed `wall_s`: on that network, a rank would
    /// wait here instead of spending time on transfers before.
    std::vector<double> ideal_s = {};
    friend bool operator==(const Part&, const Part&) = default;
  };

  /// A region that the program marks. Times in a region within another one belong to the inner region only.
  /// Only the thread that called MPI_Init is in regions: `mpi_s` excludes other threads. A rank that was not
  /// in the region has 0 times.
  struct Region {
    std::string name;
    Part times;
    friend bool operator==(const Region&, const Region&) = default;
  };

  /// Windows of time of equal length, which follow each other. They are the same on all ranks. The first one
  /// begins when the first rank begins to record.
  struct Windows {
    double length_s = 0;
    std::vector<Part> parts;
    friend bool operator==(const Windows&, const Windows&) = default;
  };

  std::string run;  ///< name of the run (run_name()); empty if unknown
  std::vector<Rank> ranks;
  std::vector<Function> functions;  ///< those that were called, in the order of their names
  std::vector<Site> sites;          ///< descending by time
  std::vector<Traffic> traffic;     ///< ascending by `from` and `to`
  std::vector<Region> regions;      ///< ascending by name
  Windows windows;                  ///< of the whole run; empty if unknown
  /// Run time on a network of zero cost: the longest chain of time outside MPI through the messages (the
  /// critical path); empty if it was not recorded.
  std::optional<double> ideal_s;
  std::string ideal_unknown = {};  ///< why `ideal_s` is unknown although it should be recorded, as a clause
  /// Why `ideal_s` of regions is unknown although that of the run is known, as a clause.
  std::string regions_ideal_unknown = {};
  /// By how much times of different ranks may be wrong in relation to each other, because clocks of hosts
  /// were compared with an error, and drifted apart; 0 on a single host. Empty if unknown.
  std::optional<double> clock_error_s = {};
  /// Ranks whose calls are known only until some time before MPI_Finalize, or not at all: the program was
  /// killed, or called exit(), or was running when the file was written.
  NumberList cut_short = {};
  bool is_running = false;  ///< whether the program was running when the file was written
  friend bool operator==(const MpiCalls&, const MpiCalls&) = default;
};

/// Ends of locations whose line may not be that of the call, because the compiler recorded another one: the
/// line of the whole function, or a line that several calls have.
constexpr const char* line_of_function_mark = " (line of the function)";
constexpr const char* line_of_several_calls_mark = " (line of several calls)";

/// Name of the file in the directory of a profile.
constexpr const char* mpi_calls_file_name = "mpi-calls.json";

/// Writes the file to the directory of a profile, which is created if missing, and returns its path. Throws
/// Error as support::OutputFile does.
std::string write_mpi_calls(const MpiCalls& calls, const std::string& folder, bool overwrite);

/// Purpose of an MPI function. It decides what its time means.
enum class MpiPurpose {
  transfer,    ///< starts or performs a transfer between two ranks: MPI_Send, MPI_Isend, MPI_Put
  wait,        ///< waits for other ranks without transferring data itself: MPI_Wait, MPI_Probe, MPI_Barrier
  collective,  ///< involves all ranks of a communicator, and may wait for them: MPI_Bcast, MPI_Comm_dup
  collective_start,  ///< starts or prepares a collective that a wait completes: MPI_Ibcast, MPI_Bcast_init
  file               ///< reads or writes a file: MPI_File_write
};

/// Returns the purpose of an MPI function by its C name ("MPI_Send", "MPI_Send_c"). Functions of an unknown
/// name are collective, because collective operations are the kind that MPI libraries add.
MpiPurpose purpose_of(std::string_view function);
/// Returns whether a function may wait for another rank until it returns: functions whose purpose is waiting,
/// blocking sends and receives, and blocking collectives, also on files. Their time includes the transfer.
bool may_wait(std::string_view function);
/// Returns "transfer", "wait", "collective", "collective start" or "file".
const char* to_string(MpiPurpose purpose);

/// Returns the file as JSON text (docs/reference/mpi-calls-file.md).
std::string to_json(const MpiCalls& calls);

/// Reads the JSON text of a file, which may come from elsewhere: sizes, numbers and names are checked. `file`
/// is the name used in messages. Throws Error (bad_input) with the JSON pointer if the content is invalid.
MpiCalls parse_mpi_calls(std::string_view json, const std::string& file);

/// Reads a file in the same way. Also throws Error (system) if it cannot be read.
MpiCalls read_mpi_calls(const std::string& path);

/// Reads the file of MPI calls among these files and directories. Returns nothing if none of them is or
/// contains one. Throws the same Errors, and Error (usage) if they contain several.
std::optional<MpiCalls> find_mpi_calls(const std::vector<std::string>& paths);

}  // namespace plimsoll::collectives
