#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/pelayout/timing_file.hpp>
#include <plimsoll/support/diagnostic.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// Counts and costs of problems and layouts go up to these, so that no sum or product of some overflows.
constexpr std::int64_t greatest_count = 1'000'000'000;
/// In seconds; see greatest_count.
constexpr double greatest_cost = 1e30;

/// What the cost of a component is.
enum class CostUnit {
  seconds_per_day,  ///< per model day: runs of different length can be combined
  total_seconds,    ///< of the whole run, as CIME's tool has it
};

/// "s/day" or "s".
const char* unit_symbol(CostUnit unit);

/// What a component took on a number of tasks, from one run or several.
struct Sample {
  std::int64_t tasks = 1;    ///< MPI ranks, 1 or more
  std::int64_t threads = 1;  ///< of each task
  double cost = 0;           ///< combined over the repeats, in the problem's CostUnit
  std::size_t repeats = 1;   ///< how many runs
  double least = 0;          ///< minimum of their costs
  double greatest = 0;       ///< maximum of their costs
  friend bool operator==(const Sample&, const Sample&) = default;
};

/// A component and what is known of it.
struct Component {
  std::string name;             ///< upper case: "ATM"
  std::string model;            ///< "CAM"; may be empty
  std::int64_t block_size = 1;  ///< its task count is a multiple of this
  std::vector<Sample> samples;  ///< by threads, then tasks, each pair once
  friend bool operator==(const Component&, const Component&) = default;
};

/// The data of a layout problem, as `--json_output` keeps them (CIME's file, and a few members more).
struct Problem {
  std::string description;                    ///< for people; may be empty
  std::optional<std::string> layout;          ///< name, expression or file
  std::optional<std::int64_t> total_tasks;    ///< 1 or more
  CostUnit unit = CostUnit::seconds_per_day;  ///< of all costs
  std::vector<Component> components;          ///< in order of first appearance
  std::string path;                           ///< of the file it was read from; empty if from timing files

  const Component* find(const std::string& name) const;
  /// In the order of `components`.
  std::vector<std::string> component_names() const;
  /// The highest task count that was measured for any component; 1 without samples.
  std::int64_t max_tasks() const;
};

/// How repeated measurements of one count become one number.
enum class Combination { median, mean, least };

/// How gather_timings() turns timing files into a problem.
struct GatherOptions {
  CostUnit unit = CostUnit::seconds_per_day;      ///< of the problem's costs
  Combination combination = Combination::median;  ///< of repeated measurements
  std::optional<std::int64_t> threads;            ///< only runs with this many threads per task
};

/// The samples of all components in timing files. Whatever was measured several times is combined, and a
/// wide spread (beyond 10 %) is a warning. Throws Error (bad_input) if a component has different models in
/// different files, or, with total_seconds, if the runs differ in length.
Problem gather_timings(std::span<const TimingFile> files, const GatherOptions& options,
                       std::vector<Diagnostic>& warnings);

/// Reads a problem from JSON, as to_json() writes it: `totaltasks`, `layout`, `description`, and for each
/// component `cost`, `ntasks`, `nthrds`, `blocksize`, `name`, as CIME's tool has them; `unit`, `repeats`,
/// `least`, `greatest` beside. A file without `unit` is CIME's; its costs are taken as they stand. Layout
/// names of CIME's tool with a module ("atm_lnd.AtmLnd") are kept. If `nthrds` has fewer entries than
/// `ntasks`, the first is that of all, as in CIME's tool; that tool itself sees a count twice where it was
/// measured with several numbers of threads. Members that are unknown are passed over, unless one that is
/// known seems to be meant. Throws Error (bad_input), with file and JSON pointer, for what is no problem:
/// counts and costs of different number, counts below 1, a count twice, costs that are negative or no
/// numbers.
Problem parse_problem(std::string_view json, const std::string& file);
/// The same from a file, plain or gzip. Throws Error also if it cannot be read or is too large.
Problem read_problem(const std::string& path);
/// The problem as parse_problem() reads it, over many lines, as Python's json.dump(indent=4) has it.
std::string to_json(const Problem& problem);

}  // namespace plimsoll::pelayout
