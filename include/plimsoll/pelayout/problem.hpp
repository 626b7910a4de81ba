#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/pelayout/timing_file.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Maximum count in problems and layouts. It prevents overflow in sums and products of several counts.
constexpr std::int64_t max_count = 1'000'000'000;
/// Maximum cost in seconds; see max_count.
constexpr double max_cost = 1e30;

/// Unit of the costs of components.
enum class CostUnit {
  seconds_per_day,   ///< seconds per model day: runs of different lengths can be combined
  total_seconds,     ///< seconds of the whole run, as in CIME's tool
  seconds_per_step,  ///< seconds per coupling step: of runs whose model days are unknown
};

/// Names of the units that users can choose, as in `plimsoll layout solve --cost`.
inline constexpr support::Named<CostUnit> cost_units[] = {{"day", CostUnit::seconds_per_day},
                                                          {"total", CostUnit::total_seconds}};

/// Returns "s/day", "s" or "s/step".
const char* unit_symbol(CostUnit unit);
/// Returns the name of a unit in JSON: "seconds_per_day", "total_seconds" or "seconds_per_step".
const char* json_name(CostUnit unit);

/// Returns what a component of a run costs in a layout: its time on the slowest rank, or, if waiting for
/// other components makes up at least 20 % of its mean and, on average or on the slowest rank, 1 % of the
/// run, the work of its slowest rank.
/// Waiting is the other component's cost, and would be counted twice. The unit must be seconds_per_day if the
/// run's days are known, seconds_per_step if not, or total_seconds.
double cost_of(const ComponentTiming& timing, const TimingFile& run, CostUnit unit);

/// Cost of a component for one task count and thread count, from one or more runs.
struct Sample {
  std::int64_t tasks = 1;    ///< number of MPI ranks; >= 1
  std::int64_t threads = 1;  ///< threads per task
  double cost = 0;           ///< combined cost of the repeats, in the problem's CostUnit
  std::size_t repeats = 1;   ///< number of runs
  double minimum = 0;        ///< minimum cost of the repeats
  double maximum = 0;        ///< maximum cost of the repeats
  friend bool operator==(const Sample&, const Sample&) = default;
};

/// Nodes of one of two kinds that a problem specifies; see Partition.
struct KindOfNodes {
  std::string name;                      ///< name for users: "gpu"
  std::int64_t n_nodes = 1;              ///< number of nodes available
  std::int64_t processors_per_node = 1;  ///< tasks per node, or processors if several thread counts exist
  friend bool operator==(const KindOfNodes&, const KindOfNodes&) = default;
};

/// A component and its measurements.
struct Component {
  std::string name;                        ///< upper-case name: "ATM"
  std::string model;                       ///< model name: "CAM"; may be empty
  std::int64_t block_size = 1;             ///< number of which task counts must be multiples
  std::vector<Sample> samples;             ///< samples sorted by threads, then tasks; no duplicate pairs
  std::int64_t instances = 1;              ///< number of copies in an ensemble (NINST); 1 if the runs differ
  std::optional<std::int64_t> limit = {};  ///< maximum task count, in addition to those of layouts
  std::string on = {};                     ///< name of its kind of nodes; may be empty

  /// Returns the sample for these counts, or null if they were not measured.
  const Sample* find(std::int64_t tasks, std::int64_t threads) const;
  friend bool operator==(const Component&, const Component&) = default;
};

/// Data of a layout problem. `--json_output` writes them in the format of CIME's tool, with a few additional
/// members.
struct Problem {
  std::string description;                               ///< description for readers; may be empty
  std::optional<std::string> layout;                     ///< layout: name, expression or file
  std::optional<std::int64_t> total_tasks;               ///< total task count; >= 1
  std::optional<std::int64_t> processors_per_node = {};  ///< see make_nodes(); empty to ignore nodes
  bool shares_nodes = false;                             ///< whether concurrent components may share a node
  CostUnit unit = CostUnit::seconds_per_day;             ///< unit of all costs
  Coupler coupler = Coupler::driver;             ///< coupler of all runs, or the driver if they differ
  std::vector<KindOfNodes> kinds_of_nodes = {};  ///< two kinds instead of a total, or none
  std::vector<Component> components;             ///< components in order of first appearance
  std::string path;                              ///< path of the source file; empty if read from timing files

  const Component* find(const std::string& name) const;
  /// Returns the component names in the order of `components`.
  std::vector<std::string> component_names() const;
  /// Returns the maximum task count measured for any component, or 1 without samples.
  std::int64_t max_tasks() const;
};

/// Method that combines repeated measurements of one count.
enum class Combination { median, mean, minimum };

/// Names of the methods, as in `plimsoll layout solve --combine`.
inline constexpr support::Named<Combination> combinations[] = {
    {"median", Combination::median}, {"mean", Combination::mean}, {"least", Combination::minimum}};

/// Options of gather_timings().
struct GatherOptions {
  /// Unit of the problem's costs; seconds_per_day gives seconds_per_step if no run has known days,
  /// and total_seconds if the steps are unknown, too.
  CostUnit unit = CostUnit::seconds_per_day;
  Combination combination = Combination::median;  ///< combination of repeated measurements
  std::optional<std::int64_t> threads;            ///< threads per task of the runs to use; empty: all runs
};

/// Gathers the samples of all components in timing files. Combines repeated measurements; a spread above 10 %
/// causes a warning, as does an active component that took no time. The block size of a component is its
/// number of instances (NINST), because CIME distributes its tasks evenly to them; a note reports it. Throws
/// Error (bad_input) if a component has different models in different files, if the days of only some runs
/// are known, or, with total_seconds, if the runs differ in length.
Problem gather_timings(std::span<const TimingFile> files, const GatherOptions& options,
                       std::vector<Diagnostic>& warnings);

/// Reads a problem from JSON, as written by to_json(). The members of CIME's tool are `totaltasks`, `layout`,
/// `description`, and per component `cost`, `ntasks`, `nthrds`, `blocksize` and `name`. Additional members
/// are `unit`, `coupler`, `repeats`, the minimum and maximum of the repeats, and the processors, sharing and
/// kinds of nodes.
/// - A file without `unit` comes from CIME's tool; its costs are not converted.
/// - Layout names of CIME's tool with a module ("atm_lnd.AtmLnd") are kept.
/// - If `nthrds` has fewer entries than `ntasks`, its first entry applies to all, as in CIME's tool. If a
///   task count was measured with two thread counts, CIME's tool reads that task count twice.
/// - Unknown members are ignored unless they look like a misspelt known member.
///
/// Throws Error (bad_input), with file and JSON pointer, for an invalid problem: different numbers of counts
/// and costs, counts below 1, duplicate counts, and costs that are negative or not numbers.
Problem parse_problem(std::string_view json, const std::string& file);
/// Reads a problem from a file, plain or gzip. Throws Error as parse_problem() does, and if the file cannot
/// be read or is too large.
Problem read_problem(const std::string& path);
/// Formats the problem as JSON for parse_problem(), indented like the output of Python's json.dump(indent=4).
std::string to_json(const Problem& problem);

/// Block sizes that replace those in the data. For runs of ensembles, the lowest common multiple of the block
/// size and the number of instances is used.
struct BlockSizes {
  std::optional<std::int64_t> all;                   ///< block size of every component
  std::map<std::string, std::int64_t> by_component;  ///< sizes by upper-case name; take precedence over `all`
};

/// Source of a problem's data, and filters for it.
struct ProblemSource {
  std::string json;              ///< path of a problem in JSON; if empty, timing files are read
  TimingSearch search;           ///< default: cases lbt_timing_run_* of `plimsoll layout submit`
  std::optional<CostUnit> unit;  ///< default: that of the JSON file, or seconds per day for timing files
  Combination combination = Combination::median;  ///< combination of repeated measurements in timing files
  std::optional<std::int64_t> threads;  ///< threads per task of the timing files to use; empty: all files
  bool mix = false;        ///< whether runs of different machines, grids, compsets or ensembles are combined
  BlockSizes block_sizes;  ///< block sizes; default: those in the data, or 1
  std::map<std::string, std::int64_t> limits = {};  ///< maximum task counts by upper-case component name
  std::function<void(const TimingFile&)> on_timing_file = {};  ///< callback for each timing file found
};

/// Reads a problem from its source. Appends warnings about suspicious data to `warnings`. Throws Error as
/// read_problem(), find_timing_files() and gather_timings() do. Throws Error (bad_input), which names the
/// groups, if the timing files do not belong together and `mix` is false. Throws Error (usage) if the costs
/// of a JSON file cannot be converted to the unit, for block sizes and limits out of range, and for block
/// sizes and limits of unknown components.
Problem load_problem(const ProblemSource& source, std::vector<Diagnostic>& warnings);

}  // namespace plimsoll::pelayout
