#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/pelayout/timing_search.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Block sizes that replace those in the data. For runs of ensembles, the lowest common multiple of the block
/// size and the number of instances is used.
struct BlockSizes {
  std::optional<std::int64_t> all;                   ///< block size of every component
  std::map<std::string, std::int64_t> by_component;  ///< sizes by upper-case name; take precedence over `all`
};

/// Source of a problem's data, and filters for it.
struct ProblemSource {
  std::string json;  ///< path of a problem in JSON; if empty, timing files are read
  TimingSearch
      search;  ///< search for timing files; default: cases lbt_timing_run_* of `plimsoll layout submit`
  std::optional<CostUnit>
      unit;  ///< unit of the costs; default: the unit of the JSON file, or seconds per day for timing files
  Combination combination = Combination::median;  ///< combination of repeated measurements in timing files
  std::optional<std::int64_t> threads;  ///< threads per task of the timing files to use; empty: all files
  bool mix =
      false;  ///< whether timing files of different machines, grids, compsets or ensembles are combined
  BlockSizes block_sizes;  ///< block sizes; default: those in the data, or 1
  std::function<void(const TimingFile&)> on_timing_file = {};  ///< callback for each timing file found
};

/// Reads a problem from its source. Appends warnings about suspicious data to `warnings`. Throws Error as
/// read_problem(), find_timing_files() and gather_timings() do. Throws Error (bad_input), which names the
/// groups, if the timing files do not belong together and `mix` is false. Throws Error (usage) if the costs
/// of a JSON file cannot be converted to the unit, for block sizes out of range, and for block sizes of
/// unknown components.
Problem load_problem(const ProblemSource& source, std::vector<Diagnostic>& warnings);

}  // namespace plimsoll::pelayout
