#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/pelayout/study.hpp>
#include <plimsoll/pelayout/timing_file.hpp>
#include <plimsoll/support/error.hpp>

#include "cli/options/option_parser.hpp"
#include "cli/terminal/terminal.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Options of `plimsoll layout solve`.
struct SolveOptions {
  // Data.
  pelayout::TimingSearch search;
  std::vector<std::string> measured_tasks;
  std::vector<std::string> files;  ///< files specified without an option
  std::string cost = "day";
  std::string combine = "median";
  std::optional<std::int64_t> threads;
  bool mix = false;
  std::string json_input;
  // Question.
  std::string total_tasks;
  std::string total_nodes;
  std::string tasks_per_node;  ///< a number, "auto" for the value in the files of the cases, or "none"
  std::string node_sharing;    ///< "yes" or "no"; empty if not specified
  std::vector<std::string> partitions;  ///< two kinds of nodes: "gpu=84x4"; or none
  std::vector<std::string> placed_on;   ///< kinds of nodes of components: "ATM=gpu"
  std::vector<std::string> limits;      ///< maximum task counts of components: "GLC=64"
  std::string layout;
  std::optional<std::int64_t> block_size;
  std::map<std::string, std::int64_t> block_sizes;  ///< sizes by upper-case name; see block_sizes()
  std::string objective = "time";
  // Method.
  std::string model = "fit";
  std::string solver = "dp";
  bool exact_sum = false;
  // Output.
  std::string json_output;
  std::string pe_output;
  bool pe_nodes = false;
  std::string timeline_svg;
  std::string check;                        ///< path of the timing file
  std::optional<std::string> graph_models;  ///< path of the picture; empty: show it only in the terminal
  std::optional<std::string> next_runs;     ///< path of the PE file; empty: show it only in the terminal
  bool force = false;
  bool print_models = false;
  bool debug = false;
  bool verbose = false;
  bool silent = false;
  bool json = false;
  bool ascii = false;
};

/// Adds the options. These do not include `--blocksize_XXX`, because XXX depends on the components of the
/// data; see block_sizes().
void add_solve_options(OptionParser& parser, SolveOptions& options);

/// Returns the block sizes specified as `--blocksize_XXX N`, by upper-case component name. Throws Error
/// (usage) for all other words that no option has consumed.
std::map<std::string, std::int64_t> block_sizes(const OptionParser& parser);

/// Returns what the options specify about runs whose files lack it.
pelayout::RunFacts facts_of(const SolveOptions& options);

/// Checks the option values before any file is read. Throws Error (usage) for invalid values.
void check_values(const SolveOptions& options);

/// Throws Error (usage) if an output file exists and must not be replaced, or if two output files have the
/// same name.
void check_outputs(const SolveOptions& options);

/// Converts the options to a request. Problems of the data are appended to `warnings`. Throws the same Errors
/// as pelayout::load_problem().
pelayout::StudyRequest study_request(const SolveOptions& options, const OptionParser& parser,
                                     std::vector<Diagnostic>& warnings, const Terminal& terminal);

/// Shows warnings about the data: all with --verbose, otherwise only the first few.
void show_data_warnings(std::span<const Diagnostic> warnings, const SolveOptions& options,
                        const Terminal& terminal);

}  // namespace plimsoll::cli
