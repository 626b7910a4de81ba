#include "cli/commands/layout/solve_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include <plimsoll/pelayout/layout.hpp>
#include <plimsoll/pelayout/plan.hpp>
#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/pelayout/solution.hpp>
#include <plimsoll/pelayout/solvers.hpp>
#include <plimsoll/pelayout/sweep.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "cli/commands/layout/ignored_options.hpp"
#include "cli/commands/layout/node_options.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

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

void add_list(OptionParser& parser, const std::string& names, std::vector<std::string>& values,
              const std::string& help) {
  parser.add_option(names, values, help).check(check_name).one_word_each();
}

/// Adds an option with an optional file argument. The suffix distinguishes this file from other files.
void add_optional_file(OptionParser& parser, const std::string& name, std::optional<std::string>& file,
                       const std::string& ending, const std::string& help) {
  const auto assign = [&file](const std::vector<std::string>& words) {
    file = words.empty() ? "" : words.front();
  };
  parser.add_words_function(name + " [FILE" + ending + "]", assign, help)
      .words(0, 1)
      .check([ending](const std::string& word) {
        return word.empty() || word.ends_with(ending) ? "" : word + " must end in " + ending;
      });
}

void add_data_options(OptionParser& parser, SolveOptions& options) {
  parser.begin_group("Data");
  parser.add_option("FILES", options.files, "Timing files, or directories of them").check(check_file);
  add_list(parser, "--timing_dir DIR", options.search.folders,
           "Directory that contains timing files; may be repeated");
  parser.add_option("--timing_files FILE...", options.search.files, "Timing files, plain, gzip or tar.gz")
      .check(check_name);
  add_list(parser, "--casename_prefix PREFIX", options.search.casename_prefixes,
           "Timing files of the cases PREFIX_* and PREFIX [default: lbt_timing_run]");
  add_list(parser, "--test_id ID", options.search.test_ids,
           "Timing files of the cases *ID (names of CIME tests)");
  add_text_option(parser, "-r,--test_root DIR", options.search.root,
                  "Directory that contains the cases [default: .]");
  parser
      .add_option("--cost day|total", options.cost,
                  "Cost unit: seconds per model day, or total seconds of a run as in CIME's tool "
                  "[default: day]")
      .one_of(support::names_of(pelayout::cost_units));
  parser
      .add_option("--combine median|mean|least", options.combine,
                  "Method to combine repeated measurements [default: median]")
      .one_of(support::names_of(pelayout::combinations));
  parser.add_option("--threads N", options.threads, "Use only component runs with N threads per task");
  parser.add_option("--steps_per_day N", options.search.facts.steps_per_day,
                    "Coupling steps per model day (ATM_NCPL) of runs read from GPTL statistics or ESMF "
                    "profiles [default: unknown, costs are per coupling step]");
  parser.add_option("--run_days DAYS", options.search.facts.run_days,
                    "Model days of runs whose files do not contain them [default: unknown]");
  add_list(parser, "--measured_tasks [FILE:]NAME=N,...", options.measured_tasks,
           "Tasks of components in load balancing files of OASIS, which lack them: OpenIFS=432,oceanx=144; "
           "may be repeated for other files");
  parser.add_flag("--mix", options.mix,
                  "Combine runs of different machines, grids, compsets and ensemble sizes");
  add_text_option(parser, "--milp_input,--json_input FILE", options.json_input,
                  "Read the problem from FILE instead of timing files");
}

void add_question_options(OptionParser& parser, SolveOptions& options) {
  parser.begin_group("Question");
  add_text_option(parser, "--total_tasks N|FROM:TO:STEP", options.total_tasks,
                  "Maximum number of tasks to assign; several totals: 512:8192:512 or 512,1024");
  add_text_option(parser, "--total_nodes N|FROM:TO:STEP", options.total_nodes,
                  "Maximum number of nodes instead of --total_tasks");
  add_text_option(
      parser, "--tasks_per_node N|auto|none", options.tasks_per_node,
      "Processors per node of the machine; a task occupies as many as it has threads; auto: "
      "MAX_MPITASKS_PER_NODE in env_mach_pes.xml of the cases, or in the timing files; none: ignore "
      "nodes [default: auto, if all totals are whole nodes]");
  parser
      .add_option("--node_sharing yes|no", options.node_sharing,
                  "Whether concurrent components may share a node; otherwise each begins on a new node "
                  "[default: no]")
      .one_of({"yes", "no"});
  add_list(parser, "--partition NAME=NODESxTASKS", options.partitions,
           "Kind of nodes, their number and tasks per node, instead of a total: --partition gpu=84x4 "
           "--partition cpu=80x128");
  add_list(parser, "--on COMPONENT=NAME", options.placed_on,
           "Kind of nodes of a component; may be repeated. All others use the other kind");
  add_list(parser, "--limit COMPONENT=N", options.limits,
           "Maximum number of tasks of a component; may be repeated");
  add_text_option(
      parser, "--layout LAYOUT", options.layout,
      "Name (plimsoll layout list), expression such as '((ICE | LND) ; ATM) | OCN', FILE.yaml, or ./solver "
      "[default: all components that took time]");
  parser.add_option(
      "--blocksize N", options.block_size,
      "Block size: task counts are multiples of N [default: 1]; --blocksize_ATM N for one component");
  add_text_option(parser, "--objective time|cost|ratio=W", options.objective,
                  "Best total: the fastest (time), the one with minimum core hours (cost), or a compromise "
                  "[default: time]");
}

void add_way_options(OptionParser& parser, SolveOptions& options) {
  parser.begin_group("Models and solvers");
  add_text_option(
      parser, "--model fit|linear|cime", options.model,
      "Cost model: fitted curve, lines between the points, or lines as in CIME's tool [default: fit]")
      .suggests({"fit", "linear", "cime"});
  add_text_option(
      parser, "--solver dp|cbc|both", options.solver,
      "Dynamic programming, mixed-integer programming with CBC, or both for comparison [default: dp]")
      .suggests({"dp", "cbc", "both"});
  parser.add_flag("--exact_sum", options.exact_sum, "Require parts to use all tasks, as in CIME's tool");
}

void add_answer_options(OptionParser& parser, SolveOptions& options) {
  parser.begin_group("Answer");
  add_text_option(parser, "--milp_output,--json_output FILE", options.json_output,
                  "Write the problem as JSON, to edit and read again with --json_input");
  add_text_option(parser, "--pe_output FILE", options.pe_output, "Write the layout as CIME's PE file");
  parser.add_flag("--pe_nodes", options.pe_nodes,
                  "Write whole nodes in PE files as negative numbers (NTASKS_ATM=-4)");
  add_text_option(parser, "--timeline_svg FILE", options.timeline_svg, "Draw the layout as a timeline");
  add_text_option(parser, "--check FILE", options.check, "Compare the models with a timing file of a run");
  add_optional_file(parser, "--graph_models", options.graph_models, ".svg", "Draw the models");
  add_optional_file(parser, "--next_runs", options.next_runs, ".xml",
                    "Show all recommended timing runs; write them to a file for plimsoll layout submit");
  parser.add_flag("--force", options.force, "Overwrite existing files");
  parser.add_flag("--print_models", options.print_models, "Print the points of the models");
  parser.add_flag("-d,--debug", options.debug, "Print models and problem sizes to stderr");
  parser.add_flag("-v,--verbose", options.verbose,
                  "Print input files, and the predicted and measured time of each run");
  parser.add_flag("-s,--silent", options.silent, "Print only lines such as NTASKS_ATM = 992");
  add_json_option(parser, options.json);
  add_ascii_option(parser, options.ascii);
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

void add_solve_options(OptionParser& parser, SolveOptions& options) {
  parser.allow_unknown_words();  // required for --blocksize_XXX
  parser.check_positionals_first();
  add_data_options(parser, options);
  add_question_options(parser, options);
  add_way_options(parser, options);
  add_answer_options(parser, options);
}

std::map<std::string, std::int64_t> block_sizes(const OptionParser& parser) {
  constexpr std::string_view stem = "--blocksize_";
  std::map<std::string, std::int64_t> sizes;
  const std::vector<std::string> words = parser.remaining();
  for (std::size_t k = 0; k < words.size(); ++k) {
    const std::size_t equals = words[k].find('=');
    const std::string option = words[k].substr(0, equals);
    std::string name = option;
    std::ranges::replace(name, '-', '_');
    if (!option.starts_with("--") || !name.starts_with("__blocksize_") || option.size() == stem.size())
      throw parser.unknown_argument(words[k]);
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

pelayout::RunFacts facts_of(const SolveOptions& options) {
  pelayout::RunFacts facts = options.search.facts;
  for (const std::string& text : options.measured_tasks)
    for (pelayout::MeasuredTasks& measured : pelayout::parse_measured_tasks(text))
      facts.tasks.push_back(std::move(measured));
  return facts;
}

void check_values(const SolveOptions& options) {
  with_option("--model", [&] { return support::value_of(pelayout::model_kinds, options.model, "model"); });
  with_option("--solver",
              [&] { return support::value_of(pelayout::solver_kinds, options.solver, "solver"); });
  with_option("--objective", [&] { return pelayout::parse_objective(options.objective); });
  if (const auto& steps = options.search.facts.steps_per_day)
    with_option("--steps_per_day", [&] { pelayout::check_steps_per_day(*steps); });
  with_option("--run_days", [&] { pelayout::check_run_facts(options.search.facts); });
  with_option("--measured_tasks", [&] { pelayout::check_run_facts(facts_of(options)); });
  check_layout(options.layout);
  if (options.block_size) check_block_size("--blocksize", *options.block_size);
  if (options.threads && *options.threads < 1)
    throw support::usage_error(fmt::format("invalid value {} for --threads: must be >= 1", *options.threads),
                               "use the number of threads per task of the runs");
  check_node_options(options);
  if (!options.partitions.empty()) return;
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

namespace {

pelayout::ProblemSource source_of(const SolveOptions& options, const OptionParser& parser,
                                  std::vector<pelayout::TimingFile>& runs, const Terminal& terminal) {
  pelayout::ProblemSource source = {
      .json = options.json_input,
      .search = options.search,
      .combination = support::value_of(pelayout::combinations, options.combine, "combination"),
      .threads = options.threads,
      .mix = options.mix,
      .block_sizes = {.all = options.block_size, .by_component = options.block_sizes},
      .limits = limits_of(options)};
  source.search.facts = facts_of(options);
  source.search.files.insert(source.search.files.end(), options.files.begin(), options.files.end());
  if (parser.option("--cost").is_given())
    source.unit = support::value_of(pelayout::cost_units, options.cost, "cost");
  source.on_timing_file = [&runs, &terminal, verbose = options.verbose](const pelayout::TimingFile& file) {
    if (verbose) terminal.show_note("Reading timing file " + file.path);
    runs.push_back(file);
  };
  return source;
}

/// Returns the error for a file of a problem without a total, or one whose kinds of nodes are ignored.
Error missing_total(const SolveOptions& options, const pelayout::Problem& problem) {
  return problem.kinds_of_nodes.empty()
             ? support::usage_error(
                   "missing --total_tasks: " + options.json_input + " contains no totaltasks",
                   "use --total_tasks N, or add totaltasks to the file")
             : support::usage_error(
                   fmt::format("missing --total_tasks: --tasks_per_node replaces the kinds of nodes in {}",
                               options.json_input),
                   "remove --tasks_per_node, or use --total_tasks N");
}

}  // namespace

pelayout::StudyRequest study_request(const SolveOptions& options, const OptionParser& parser,
                                     std::vector<Diagnostic>& warnings, const Terminal& terminal) {
  warn_of_ignored_options(options, parser, warnings);
  std::vector<pelayout::TimingFile> runs;
  pelayout::Problem problem = load_problem(source_of(options, parser, runs, terminal), warnings);
  warn_of_ignored_kinds(options, problem, warnings);
  warn_of_unused_facts(options, runs, warnings);
  const std::optional<pelayout::Nodes> nodes = nodes_of(options, problem, runs, terminal);
  KindsOfNodes kinds = kinds_of_nodes(options, problem);
  pelayout::StudyRequest request = {
      .problem = std::move(problem),
      .runs = std::move(runs),
      .layout = options.layout,
      .totals = totals_of(options, nodes, kinds.partitions),
      .objective = options.objective,
      .plan = {.model = support::value_of(pelayout::model_kinds, options.model, "model"),
               .solver = support::value_of(pelayout::solver_kinds, options.solver, "solver"),
               .exact_sum = options.exact_sum,
               .nodes = nodes,
               .partitions = std::move(kinds.partitions),
               .placed_on = std::move(kinds.placed_on)},
      .block_sizes = options.block_sizes,
      .check = options.check,
      .facts = facts_of(options),
      .needs_next_runs = options.next_runs.has_value()};
  if (request.totals.empty() && !request.problem.total_tasks) throw missing_total(options, request.problem);
  use_measured_nodes(request, options, terminal);
  if (std::optional<Diagnostic> warning = warn_of_sequence(request)) warnings.push_back(std::move(*warning));
  return request;
}

void show_data_warnings(std::span<const Diagnostic> warnings, const SolveOptions& options,
                        const Terminal& terminal) {
  constexpr std::size_t few = 8;
  for (const Diagnostic& warning :
       options.verbose ? warnings : warnings.first(std::min(few, warnings.size())))
    terminal.show_warning(warning);
  if (warnings.size() > few && !options.verbose)
    terminal.show_note(count(warnings.size() - few, "more warning") + "; use --verbose to show them");
}

}  // namespace plimsoll::cli
