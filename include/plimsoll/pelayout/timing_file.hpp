#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Maximum number of components in a run and in a problem.
constexpr std::size_t max_components = 1000;

/// Software that couples the components of a run. It determines which of them can run in sequence.
enum class Coupler {
  driver,  ///< driver of CIME or NUOPC, which runs components on any ranks of one program
  oasis,   ///< OASIS: components have separate ranks, and run concurrently
  fms,     ///< coupler of GFDL's FMS
};

/// Names of the couplers, as in files of problems.
inline constexpr support::Named<Coupler> couplers[] = {
    {"driver", Coupler::driver}, {"oasis", Coupler::oasis}, {"fms", Coupler::fms}};

/// Division of a component's time into work and waiting, from the ESMF profile of its run. Times are means
/// over its ranks, in seconds of the whole run; their sum is the component's mean time. See component_work().
struct WorkTiming {
  double work_seconds = 0;
  double waiting_seconds = 0;  ///< waiting for other components
  double imbalance = 1;        ///< maximum / mean of the work over the ranks
  std::string waits_for = {};  ///< component that it waits for; empty if unknown

  /// Returns the work of the slowest rank: what the component costs in a layout that makes it wait for
  /// nobody.
  double slowest_work_seconds() const { return work_seconds * imbalance; }
  friend bool operator==(const WorkTiming&, const WorkTiming&) = default;
};

/// One component in one run: its ranks and its time.
struct ComponentTiming {
  std::string component;       ///< upper-case name: "ATM"
  std::string model;           ///< upper-case name: "CAM"; without the "_0001" of drivers; empty if unknown
  std::int64_t tasks = 0;      ///< number of MPI ranks; >= 1
  std::int64_t threads = 1;    ///< threads per task
  std::int64_t root = 0;       ///< first MPI rank
  std::int64_t instances = 1;  ///< number of copies of the component in an ensemble
  std::int64_t stride = 1;     ///< distance between the ranks of consecutive tasks
  double seconds = 0;          ///< seconds of the whole run on the slowest rank, waiting included
  double seconds_per_day = 0;  ///< seconds per model day; per coupling step if the days are unknown
  std::optional<WorkTiming> work = {};  ///< empty without an ESMF profile of the run
  friend bool operator==(const ComponentTiming&, const ComponentTiming&) = default;
};

/// Timing profile that a run of CESM, E3SM or another CIME model writes to the directory `timing` of its
/// case. CESM1, CIME5, CIME6, E3SM and CMEPS use slightly different formats; all are supported.
struct TimingFile {
  std::string path;
  std::string case_name;  ///< value of "Case"
  std::string log_id;     ///< value of "LID": the time of the run
  std::string machine;
  Coupler coupler = Coupler::driver;
  std::string driver;  ///< value of "Driver" ("CMEPS"); empty in older files
  std::string grid;
  std::string compset;
  std::int64_t driver_instance = 0;  ///< driver number (1, 2, ...) in a run with several drivers ("cpl_0001")
  double run_days = 0;               ///< model days; 0 if unknown, see knows_days()
  std::optional<std::int64_t> steps = {};          ///< coupling steps, if the file counts them
  std::vector<ComponentTiming> components;         ///< components in the order of the file's table
  std::optional<double> total_seconds;             ///< value of "TOT Run Time"
  std::optional<double> total_seconds_per_day;     ///< total run time per model day, or per coupling step
  std::optional<double> coupling_seconds_per_day;  ///< value of "CPL COMM Time"
  std::optional<std::int64_t> processors;          ///< value of "total pes active"
  std::optional<std::int64_t> processors_per_node;
  std::optional<double> throughput;  ///< simulated years per day
  std::optional<double> cost;        ///< core hours per simulated year
  bool is_from_statistics = false;   ///< whether the run was read from another file than a timing profile
  std::vector<Diagnostic> warnings;  ///< suspicious content of the file

  /// Returns the timing of a component, or null if it is missing.
  const ComponentTiming* find(const std::string& component) const;
  /// Returns whether the first ranks of components are known. Files of OASIS do not contain them; readers
  /// number the ranks in the order of the file.
  bool knows_ranks() const { return coupler != Coupler::oasis; }
  /// Returns whether the length of the run in model days is known. If not, times "per day" are per coupling
  /// step.
  bool knows_days() const { return run_days > 0; }
};

/// Returns whether a text looks like a timing profile. This distinguishes invalid timing profiles from other
/// files in a directory.
bool is_timing_profile(std::string_view text);

/// Reads a timing profile. Throws Error (bad_input), with file and line, for
/// - a text that is not a timing profile,
/// - an aborted run (component rows without run times, or a truncated table),
/// - a component that has ranks but no time, or a time but no ranks,
/// - invalid numbers, so that no wrong number is returned.
///
/// Seconds per model day are computed as the seconds of the whole run divided by its length, because the
/// values in the file have few digits. A contradiction between the two causes a warning, as does a length
/// that differs from the requested one (ESMCI/cime, issue 1118). If the ocean ran more days than the run, or
/// the request is up to one day longer, the run length is truncated: the requested length or, if it
/// contradicts the ocean, the next whole number of days is used, with a note. Source of the format: CIME's
/// get_timing.py, and its predecessor, the Perl script getTiming of CESM1.
TimingFile parse_timing_file(std::string_view text, const std::string& path);

/// Number of tasks on which a component ran, for files that lack it.
struct MeasuredTasks {
  std::string file;       ///< path, or its end, of the file to which the number applies; empty: all files
  std::string component;  ///< upper-case name: "OPENIFS"
  std::int64_t tasks = 1;

  /// Returns whether the number applies to a file.
  bool is_of(std::string_view path) const;
};

/// Facts about runs that some of their files lack.
struct RunFacts {
  /// Coupling steps per model day, for GPTL statistics, ESMF profiles, LUCIA and FMS clocks; see
  /// parse_timing_statistics().
  std::optional<std::int64_t> steps_per_day = {};
  std::optional<double> run_days =
      {};  ///< model days of runs whose files do not contain them; takes precedence
  /// Tasks of components, for files of OASIS. Of several numbers for a file, the one with the longest path
  /// wins.
  std::vector<MeasuredTasks> tasks = {};
};

/// Checks the number of days and tasks. Throws Error (usage) for numbers out of range, and for two numbers of
/// one component and path.
void check_run_facts(const RunFacts& facts);

/// Parses "OpenIFS=432,oceanx=144" or "FILE:OpenIFS=432" for RunFacts. Throws Error (usage) for other texts.
std::vector<MeasuredTasks> parse_measured_tasks(const std::string& text);

/// Returns the numbers of tasks that apply to none of the runs: no file of OASIS with this path contains the
/// component.
std::vector<MeasuredTasks> unused_tasks(const RunFacts& facts, std::span<const TimingFile> runs);

/// Reads the run in a file: a timing profile, GPTL statistics, an ESMF profile, OASIS load balancing
/// information or FMS clocks, plain, in gzip, or in a tar archive. If an archive contains several of them,
/// the timing profile is returned. Its times are divided into work and waiting if the ESMF profile of the run
/// is in the same directory. Throws Error as
/// parse_timing_file() and parse_timing_statistics() do, if the file cannot be read or is too large, and for
/// an archive of several runs.
TimingFile read_timing_file(const std::string& path, const RunFacts& facts = {});

/// Locations of timing files. The results of all of them are combined.
struct TimingSearch {
  std::vector<std::string> files;    ///< paths of timing files, or of directories as in `folders`
  std::vector<std::string> folders;  ///< directories (not their subdirectories) whose profiles are read
  /// Prefixes of case names. The search covers the directories `<prefix>_*/timing/` and `<prefix>/timing/`
  /// below `root`. It reads the files `timing.<prefix>*` and `<model>_timing*.<case>.<log id>`, plain or with
  /// `.gz`, and statistics and archives whose names contain "timing". A prefix may begin with a directory,
  /// and may end in an underscore, like the default of CIME's tool ("lbt_timing_run_").
  std::vector<std::string> casename_prefixes;
  /// Test IDs: cases below `root` whose names end in one of them, as in CIME's tests, or begin with one and
  /// an underscore. All timing profiles in their directories `timing`, recognised by content, are read.
  std::vector<std::string> test_ids;
  std::string root = ".";  ///< parent directory of the case directories
  RunFacts facts;          ///< facts that files lack
};

/// Result of a search: timing files sorted by path, and the reasons why other files were skipped. A run that
/// is found twice (same case, log ID and driver, same numbers), e.g. plain and gzip, is counted once.
struct TimingFiles {
  std::vector<TimingFile> files;
  std::vector<Diagnostic> warnings;  ///< warnings about aborted runs, directories without timing files, ...,
                                     ///< and the warnings of the files; only one of unknown_days_check
};

/// Finds and reads timing files: timing profiles, and GPTL statistics and ESMF profiles of runs without a
/// timing profile, plain, in gzip, or in tar archives. Files are of one run if they are in the same directory
/// and have the same log ID, or have the same times. For statistics and ESMF profiles in `files`, the timing
/// profile of the run is searched in their directory; for timing profiles, the ESMF profile, from which the
/// times are divided into work and waiting.
///
/// In directories, other files (logs) are skipped silently, as are archives without "timing" in their names.
/// Aborted and invalid profiles are skipped with a warning, as are explicitly specified files without
/// timings. Throws Error: bad_input if nothing is found; system if a file or directory cannot be read.
TimingFiles find_timing_files(const TimingSearch& search);

/// Value of `check` in the warning that the days of a run are unknown.
inline constexpr const char* unknown_days_check = "steps-per-day";

/// Checks a number of coupling steps per day. Throws Error (usage) unless it is between 1 and 86,400.
void check_steps_per_day(std::int64_t steps);

/// Returns whether a text looks like statistics of the timing library GPTL.
bool is_timing_statistics(std::string_view text);

/// Reads the statistics over all ranks that GPTL writes to the file `model_timing_stats` of a run, and from
/// which CIME computes a timing profile. The result has the times of the profile. It lacks case, machine,
/// grid, compset and the names of the models. The log ID and the number of the driver come from the path.
/// Threads, roots and strides of the components are derived from their timers: threads and strides may be too
/// small.
///
/// The statistics count the coupling steps, but not the model days. Without `steps_per_day`, the days are
/// unknown, with a warning, and times are per coupling step. A text that ends with a timer, without the empty
/// line that GPTL writes after the last one, causes a warning too. Throws Error (bad_input), with file and
/// line, for
/// - a text that is not a statistics file, or that was written by another program than CIME's driver,
/// - a truncated text and invalid numbers.
///
/// Throws Error (usage) as check_steps_per_day() does.
///
/// O(size of the text). Sources: CIME's get_timing.py for the mapping of timers to components;
/// GPTLpr_summary() of GPTL for the format.
TimingFile parse_timing_statistics(std::string_view text, const std::string& path,
                                   std::optional<std::int64_t> steps_per_day = {});
/// Same, with other facts about the run; only its length is used.
TimingFile parse_timing_statistics(std::string_view text, const std::string& path, const RunFacts& facts);

/// Returns whether a text looks like load balancing information of OASIS3-MCT: load_balancing_info.txt of
/// version 5, or what the tool LUCIA prints for older versions.
bool is_oasis_balance(std::string_view text);

/// Reads load balancing information of OASIS3-MCT: computing and waiting time of each coupled component,
/// which run concurrently. Their tasks must be in `facts`. First ranks follow from the order in the file, in
/// which OASIS numbers the ranks. LUCIA counts coupling steps; the days of a run are unknown without `facts`.
/// A component that computed for less than 0 s was not measured, and is skipped with a warning, as is one
/// that neither computed nor waited.
///
/// Throws Error (bad_input), with file and line, for a text without that table, invalid and truncated
/// numbers, times with more digits than OASIS prints, and components whose tasks are unknown. O(size of the
/// text). Sources of the format: mod_oasis_load_balancing.F90 of OASIS3-MCT 5, lucia.F90 of OASIS3-MCT 3.
TimingFile parse_oasis_balance(std::string_view text, const std::string& path, const RunFacts& facts = {});

/// Returns whether a text contains the table of clocks that models of GFDL's FMS print at their end.
bool is_fms_clocks(std::string_view text);

/// Reads the table "Tabulating mpp_clock statistics across N PEs" in the output of a model that uses FMS
/// (MOM5, MOM6, GFDL's coupled models, ACCESS). Components are the clocks of grain 1 with the names
/// Atmosphere, Land, Ice and Ocean; their ranks are in the columns pemin and pemax. The total is the clock
/// "Main loop", or "Total runtime" without it. Time in "oasis_recv" is waiting of the ocean. The column
/// "hits" of newer versions counts the coupling steps.
///
/// Throws Error (bad_input), with file and line, for a text without that table, a truncated table, invalid
/// numbers, times that contradict each other, and a table without components. O(size of the text). Source of
/// the format: mpp_exit() of FMS.
TimingFile parse_fms_clocks(std::string_view text, const std::string& path, const RunFacts& facts = {});

/// A number of tasks per node, and the file that contains it.
struct TasksPerNode {
  std::int64_t tasks = 1;
  std::string source;  ///< path of the file
};

/// Finds the number of tasks per node of the machine on which cases ran: MAX_MPITASKS_PER_NODE in the file
/// env_mach_pes.xml of a case directory, which contains the directory `timing`; otherwise the maximum in the
/// timing files of runs with one thread per task, because runs that do not fill a node contain fewer. With
/// several threads, CIME writes either this number or the tasks that fit on a node with these threads. Empty
/// if no file contains it. Throws Error (bad_input) if cases have different values, if the files of runs that
/// fill a node do, or if a file env_mach_pes.xml is invalid, and Error (system) if it cannot be read.
std::optional<TasksPerNode> find_tasks_per_node(std::span<const TimingFile> runs);

}  // namespace plimsoll::pelayout
