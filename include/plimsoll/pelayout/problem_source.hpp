#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/pelayout/timing_search.hpp>
#include <plimsoll/support/diagnostic.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// Block sizes that replace those of the data.
struct BlockSizes {
  std::optional<std::int64_t> all;                   ///< of every component
  std::map<std::string, std::int64_t> by_component;  ///< by upper-case name; these go before `all`
};

/// Where the data of a problem are, and what to take of them.
struct ProblemSource {
  std::string json;     ///< path of a problem kept as JSON; if empty, timing files are read
  TimingSearch search;  ///< if it names nothing, the cases lbt_timing_run_* of `plimsoll layout submit`
  std::optional<CostUnit> unit;  ///< if not given, that of the JSON file; seconds per day of timing files
  Combination combination = Combination::median;  ///< of repeated measurements in timing files
  std::optional<std::int64_t> threads;            ///< of timing files, only runs with so many a task
  BlockSizes block_sizes;                         ///< empty: the data's, else 1
  std::function<void(const TimingFile&)> on_timing_file = {};  ///< called for each that is found
};

/// Reads a problem from its source. What is odd about the data is appended to `warnings`. Throws Error as
/// read_problem(), find_timing_files() and gather_timings() do; usage if the costs of a JSON file cannot be
/// had in the unit, or for a block size out of bounds or of an unknown component.
Problem load_problem(const ProblemSource& source, std::vector<Diagnostic>& warnings);

}  // namespace plimsoll::pelayout
