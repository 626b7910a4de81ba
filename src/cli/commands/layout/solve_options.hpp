#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/pelayout/timing_search.hpp>

namespace plimsoll::inline v0_1::cli {

/// What users can tell `plimsoll layout solve`.
struct SolveOptions {
  // Data.
  pelayout::TimingSearch search;
  std::vector<std::string> files;  ///< given without an option
  std::string cost = "day";
  std::string combine = "median";
  std::optional<std::int64_t> threads;
  std::string json_input;
  // Question.
  std::string total_tasks;
  std::string layout;
  std::optional<std::int64_t> block_size;
  std::map<std::string, std::int64_t> block_sizes;  ///< of components, by upper-case name; see block_sizes()
  std::string objective = "time";
  // Way to the answer.
  std::string model = "fit";
  std::string solver = "dp";
  bool exact_sum = false;
  // Answer.
  std::string json_output;
  std::string pe_output;
  std::string timeline_svg;
  std::string check;                        ///< a timing file
  std::optional<std::string> graph_models;  ///< empty: in the terminal only
  std::optional<std::string> next_runs;     ///< empty: in the terminal only
  bool force = false;
  bool print_models = false;
  bool debug = false;
  bool verbose = false;
  bool silent = false;
  bool json = false;
};

/// Defines them. `--blocksize_XXX` is not among them, since XXX is whatever components the data have: see
/// block_sizes().
void add_solve_options(CLI::App& app, SolveOptions& options);

/// The block size of each component, by upper-case name, that was given as `--blocksize_XXX N`. Throws Error
/// (usage) for any other word that no option has taken.
std::map<std::string, std::int64_t> block_sizes(const CLI::App& app);

/// The options given that only make sense with timing files.
std::vector<std::string> timing_options(const CLI::App& app);

/// Throws Error (usage) for values that are none, before anything is read.
void check_values(const SolveOptions& options);

/// Throws Error (usage) for files to write that are there and may not be replaced, or of one name.
void check_outputs(const SolveOptions& options);

}  // namespace plimsoll::cli
