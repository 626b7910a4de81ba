#include "cli/commands/layout/solve_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include <plimsoll/pelayout/layout.hpp>
#include <plimsoll/pelayout/plan.hpp>
#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/pelayout/solvers.hpp>
#include <plimsoll/pelayout/sweep.hpp>
#include <plimsoll/pelayout/timing_file.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "cli/command_line.hpp"
#include "cli/commands/layout/spellings.hpp"
#include "cli/options/input_options.hpp"
#include "cli/options/integer_option.hpp"
#include "cli/options/named_option.hpp"
#include "cli/options/output_options.hpp"
#include "cli/options/with_option.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

constexpr const char* data = "Data";
constexpr const char* question = "Question";
constexpr const char* way = "Models and solvers";
constexpr const char* answer = "Answer";

bool is_number(std::string_view word) {
  if (word.starts_with('-')) word.remove_prefix(1);
  return !word.empty() &&
         std::ranges::all_of(word, [](unsigned char letter) { return std::isdigit(letter) != 0; });
}

/// Checks that a word is not a number. The command receives unknown options as separate words, so a number is
/// the value of --blocksize_XXX, not a file.
std::string check_file(const std::string& word) {
  return is_number(word) ? word + " is a number: expected a file name; use ./" + word + " for a file"
                         : check_name(word);
}

void add_list(CLI::App& app, const std::string& name, std::vector<std::string>& values,
              const char* placeholder, const std::string& help) {
  app.add_option(both_spellings(name), values, help)
      ->option_text(placeholder)
      ->check(check_name)
      ->allow_extra_args(false)
      ->group(data);
}

/// Adds an option with an optional file argument. The suffix distinguishes this file from other files.
void add_optional_file(CLI::App& app, const std::string& name, std::optional<std::string>& file,
                       const std::string& ending, const std::string& help) {
  const auto assign = [&file](const std::vector<std::string>& words) {
    file = words.empty() ? "" : words.front();
    return true;
  };
  app.add_option(both_spellings(name), assign, help)
      ->option_text("[FILE" + ending + "]")
      ->expected(0, 1)
      ->check([ending](const std::string& word) {
        return word.empty() || word.ends_with(ending) ? "" : word + " must end in " + ending;
      })
      ->group(answer);
}

void add_data_options(CLI::App& app, SolveOptions& options) {
  app.add_option("FILES", options.files, "Timing files, or directories of them")->check(check_file);
  add_list(app, "--timing_dir", options.search.folders, "DIR",
           "Directory that contains timing files; may be repeated");
  app.add_option(both_spellings("--timing_files"), options.search.files,
                 "Timing files, plain, gzip or tar.gz")
      ->option_text("FILE...")
      ->check(check_name)
      ->group(data);
  add_list(app, "--casename_prefix", options.search.casename_prefixes, "PREFIX",
           "Timing files of the cases PREFIX_* and PREFIX\n[default: lbt_timing_run]");
  add_list(app, "--test_id", options.search.test_ids, "ID",
           "Timing files of the cases *ID (names of CIME tests)");
  add_text(app, data, "-r,--test_root", options.search.root, "DIR",
           "Directory that contains the cases [default: .]");
  app.add_option("--cost", options.cost,
                 "Cost unit: seconds per model day, or total seconds of\na run as in CIME's tool "
                 "[default: day]")
      ->option_text("day|total")
      ->check(one_of(support::names_of(pelayout::cost_units)))
      ->group(data);
  app.add_option("--combine", options.combine, "Method to combine repeated measurements [default: median]")
      ->option_text("median|mean|least")
      ->check(one_of(support::names_of(pelayout::combinations)))
      ->group(data);
  add_integer_option(app, "--threads", options.threads, "Use only component runs with N threads per task")
      ->group(data);
  add_integer_option(app, both_spellings("--steps_per_day"), options.search.steps_per_day,
                     "Coupling steps per day of runs read from GPTL\nstatistics (ATM_NCPL) [default: 48]")
      ->group(data);
  app.add_flag("--mix", options.mix,
               "Combine runs of different machines, grids, compsets\nand ensemble sizes")
      ->group(data);
  add_text(app, data, "--milp_input,--json_input", options.json_input, "FILE",
           "Read the problem from FILE instead of timing files");
}

void add_question_options(CLI::App& app, SolveOptions& options) {
  add_text(app, question, "--total_tasks", options.total_tasks, "N|FROM:TO:STEP",
           "Maximum number of tasks to assign; several totals:\n512:8192:512 or 512,1024");
  add_text(app, question, "--total_nodes", options.total_nodes, "N|FROM:TO:STEP",
           "Maximum number of nodes instead of --total_tasks");
  add_text(app, question, "--tasks_per_node", options.tasks_per_node, "N|auto",
           "Processors per node of the machine; a task occupies as\nmany as it has threads; auto: "
           "MAX_MPITASKS_PER_NODE in\nenv_mach_pes.xml of the cases, or in the timing files");
  app.add_option(
         both_spellings("--node_sharing"), options.node_sharing,
         "Whether concurrent components may share a node;\notherwise each begins on a new node [default: no]")
      ->option_text("yes|no")
      ->check(one_of({"yes", "no"}))
      ->group(question);
  add_text(
      app, question, "--layout", options.layout, "LAYOUT",
      "Name (plimsoll layout list), expression such as\n'((ICE | LND) ; ATM) | OCN', FILE.yaml, or ./solver\n"
      "[default: all components that took time]");
  add_integer_option(
      app, "--blocksize", options.block_size,
      "Block size: task counts are multiples of N [default: 1];\n--blocksize_ATM N for one component")
      ->group(question);
  add_text(app, question, "--objective", options.objective, "time|cost|ratio=W",
           "Best total: the fastest (time), the one with minimum\ncore hours (cost), or a compromise "
           "[default: time]");
}

void add_way_options(CLI::App& app, SolveOptions& options) {
  add_text(app, way, "--model", options.model, "fit|linear|cime",
           "Cost model: fitted curve, lines between the points,\nor lines as in CIME's tool [default: fit]");
  add_text(app, way, "--solver", options.solver, "dp|cbc|both",
           "Dynamic programming, mixed-integer programming with\nCBC, or both for comparison [default: dp]");
  app.add_flag(both_spellings("--exact_sum"), options.exact_sum,
               "Require parts to use all tasks, as in CIME's tool")
      ->group(way);
}

void add_answer_options(CLI::App& app, SolveOptions& options) {
  add_text(app, answer, "--milp_output,--json_output", options.json_output, "FILE",
           "Write the problem as JSON, to edit and read again\nwith --json_input");
  add_text(app, answer, "--pe_output", options.pe_output, "FILE", "Write the layout as CIME's PE file");
  app.add_flag(both_spellings("--pe_nodes"), options.pe_nodes,
               "Write whole nodes in PE files as negative numbers\n(NTASKS_ATM=-4)")
      ->group(answer);
  add_text(app, answer, "--timeline_svg", options.timeline_svg, "FILE", "Draw the layout as a timeline");
  add_text(app, answer, "--check", options.check, "FILE", "Compare the models with a timing file of a run");
  add_optional_file(app, "--graph_models", options.graph_models, ".svg", "Draw the models");
  add_optional_file(app, "--next_runs", options.next_runs, ".xml",
                    "Show all recommended timing runs;\nwrite them to a file for plimsoll layout submit");
  app.add_flag("--force", options.force, "Overwrite existing files")->group(answer);
  app.add_flag(both_spellings("--print_models"), options.print_models, "Print the points of the models")
      ->group(answer);
  app.add_flag("-d,--debug", options.debug, "Print models and problem sizes to stderr")->group(answer);
  app.add_flag("-v,--verbose", options.verbose,
               "Print input files, and the predicted and measured time\nof each run")
      ->group(answer);
  app.add_flag("-s,--silent", options.silent, "Print only lines such as NTASKS_ATM = 992")->group(answer);
  app.add_flag("--json", options.json,
               "Print one JSON object instead of text\n(docs/reference/json-output.md)")
      ->group(answer);
  add_ascii_option(app, options.ascii);
  app.get_option("--ascii")->group(answer);
}

/// Checks the syntax of a layout expression; names, files and solvers are checked when they are used.
void check_layout(const std::string& text) {
  const bool is_expression = text.find_first_of(";|() \t\n") != std::string::npos;
  if (!is_expression || pelayout::is_layout_file(text) || pelayout::is_external_solver(text)) return;
  try {
    pelayout::parse_layout(text);
  } catch (const Error& error) {
    Diagnostic diagnostic = error.diagnostic();
    diagnostic.what.insert(0, "--layout: ");
    throw Error(ErrorKind::usage, std::move(diagnostic));
  }
}

void check_block_size(const std::string& option, std::int64_t size) {
  if (size < 1 || size > pelayout::max_count)
    throw support::usage_error(
        fmt::format("invalid value {} for {}: must be between 1 and {}", size, option, pelayout::max_count),
        fmt::format("use, for example, {} 8", option));
}

void check_nodes(const SolveOptions& options) {
  if (!options.total_nodes.empty() && !options.total_tasks.empty())
    throw support::usage_error("--total_tasks and --total_nodes cannot be combined", "use one of them");
  if (!options.tasks_per_node.empty()) {
    const auto tasks = support::parse_number<std::int64_t>(options.tasks_per_node);
    if (options.tasks_per_node != "auto" && (!tasks || *tasks < 1 || *tasks > pelayout::max_count))
      throw support::usage_error(
          fmt::format("invalid value {} for --tasks_per_node: must be between 1 and {}, or auto",
                      support::in_quotes(options.tasks_per_node), pelayout::max_count),
          "use MAX_MPITASKS_PER_NODE of the machine, for example --tasks_per_node 64");
  } else if (options.json_input.empty()) {
    refuse_node_options(options);
  }
}

std::int64_t block_size_of(const std::string& option, const std::string& text) {
  const auto size = support::parse_number<std::int64_t>(text);
  if (!size) {
    throw support::usage_error(text.empty() ? "missing value for " + option + ": expected an integer"
                                            : fmt::format("invalid value {} for {}: expected an integer",
                                                          support::in_quotes(text), option),
                               fmt::format("use, for example, {} 8", option));
  }
  check_block_size(option, *size);
  return *size;
}

}  // namespace

void add_solve_options(CLI::App& app, SolveOptions& options) {
  app.allow_extras();  // required for --blocksize_XXX
  app.validate_positionals();
  add_data_options(app, options);
  add_question_options(app, options);
  add_way_options(app, options);
  add_answer_options(app, options);
}

std::map<std::string, std::int64_t> block_sizes(const CLI::App& app) {
  constexpr std::string_view stem = "--blocksize_";
  std::map<std::string, std::int64_t> sizes;
  const std::vector<std::string> words = app.remaining();
  for (std::size_t k = 0; k < words.size(); ++k) {
    const std::size_t equals = words[k].find('=');
    const std::string option = words[k].substr(0, equals);
    std::string name = option;
    std::ranges::replace(name, '-', '_');
    if (!option.starts_with("--") || !name.starts_with("__blocksize_") || option.size() == stem.size())
      throw unknown_argument(app, words[k]);
    const std::string component = support::upper_case(option.substr(stem.size()));
    std::string value;
    if (equals != std::string::npos)
      value = words[k].substr(equals + 1);
    else if (k + 1 < words.size())
      value = words[++k];
    sizes[component] = block_size_of(option, value);
  }
  return sizes;
}

std::vector<std::string> timing_options(const CLI::App& app) {
  std::vector<std::string> given;
  for (const char* name : {"FILES", "--timing_dir", "--timing_files", "--casename_prefix", "--test_id",
                           "--test_root", "--combine", "--threads", "--mix"})
    if (app.count(name) > 0) given.emplace_back(name);
  return given;
}

void refuse_node_options(const SolveOptions& options) {
  for (const auto& [option, specified] : {std::pair{"--total_nodes", !options.total_nodes.empty()},
                                          {"--node_sharing", !options.node_sharing.empty()},
                                          {"--pe_nodes", options.pe_nodes}})
    if (specified)
      throw support::usage_error(fmt::format("{} requires --tasks_per_node", option),
                                 "use --tasks_per_node N, or --tasks_per_node auto");
}

void check_values(const SolveOptions& options) {
  with_option("--model", [&] { return pelayout::model_kind(options.model); });
  with_option("--solver", [&] { return pelayout::solver_kind(options.solver); });
  with_option("--objective", [&] { return pelayout::parse_objective(options.objective); });
  if (const auto& steps = options.search.steps_per_day)
    with_option("--steps_per_day", [&] { pelayout::check_steps_per_day(*steps); });
  check_layout(options.layout);
  if (options.block_size) check_block_size("--blocksize", *options.block_size);
  if (options.threads && *options.threads < 1)
    throw support::usage_error(fmt::format("invalid value {} for --threads: must be >= 1", *options.threads),
                               "use the number of threads per task of the runs");
  check_nodes(options);
  if (!options.total_tasks.empty())
    with_option("--total_tasks", [&] { return pelayout::parse_totals(options.total_tasks); });
  else if (!options.total_nodes.empty())
    with_option("--total_nodes", [&] { return pelayout::parse_totals(options.total_nodes); });
  else if (options.json_input.empty())
    throw support::usage_error("missing --total_tasks",
                               "use --total_tasks N, or --milp_input with a file that contains totaltasks");
}

void check_outputs(const SolveOptions& options) {
  const std::string paths[] = {options.json_output, options.pe_output, options.timeline_svg,
                               options.graph_models.value_or(""), options.next_runs.value_or("")};
  expect_distinct_files(paths);
  for (const std::string& path : paths) check_output_file(path, options.force);
}

}  // namespace plimsoll::cli
