#include "cli/commands/layout/solve_input.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/pelayout/solution.hpp>
#include <plimsoll/pelayout/timing_file.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

pelayout::ProblemSource source_of(const SolveOptions& options, const OptionParser& parser,
                                  std::vector<pelayout::TimingFile>& runs, const Terminal& terminal) {
  pelayout::ProblemSource source = {
      .json = options.json_input,
      .search = options.search,
      .combination = support::value_of(pelayout::combinations, options.combine, "combination"),
      .threads = options.threads,
      .mix = options.mix,
      .block_sizes = {.all = options.block_size, .by_component = options.block_sizes}};
  source.search.files.insert(source.search.files.end(), options.files.begin(), options.files.end());
  if (parser.option("--cost").is_given())
    source.unit = support::value_of(pelayout::cost_units, options.cost, "cost");
  source.on_timing_file = [&runs, &terminal, verbose = options.verbose](const pelayout::TimingFile& file) {
    if (verbose) terminal.show_note("Reading timing file " + file.path);
    runs.push_back(file);
  };
  return source;
}

void warn_of_ignored_options(const SolveOptions& options, const OptionParser& parser,
                             std::vector<Diagnostic>& warnings) {
  const std::vector<std::string> ignored = timing_options(parser);
  if (options.json_input.empty() || ignored.empty()) return;
  warnings.push_back({.severity = support::Severity::warning,
                      .what = fmt::format("{} {} ignored: the data come from {}", fmt::join(ignored, ", "),
                                          ignored.size() > 1 ? "are" : "is", options.json_input)});
}

/// Returns the nodes of the machine; empty unless options or the problem's file specify them.
std::optional<pelayout::Nodes> nodes_of(const SolveOptions& options, const pelayout::Problem& problem,
                                        const std::vector<pelayout::TimingFile>& runs,
                                        const Terminal& terminal) {
  const bool shared = options.node_sharing.empty() ? problem.shares_nodes : options.node_sharing == "yes";
  if (options.tasks_per_node.empty() && problem.processors_per_node)
    return make_nodes(problem, *problem.processors_per_node, shared);
  if (options.tasks_per_node.empty()) {
    refuse_node_options(options);
    return std::nullopt;
  }
  if (const auto tasks = support::parse_number<std::int64_t>(options.tasks_per_node))
    return make_nodes(problem, *tasks, shared);
  const auto found = pelayout::find_tasks_per_node(runs);
  if (!found)
    throw support::usage_error(
        "--tasks_per_node auto: no env_mach_pes.xml and no timing file of a run with one thread per task "
        "contains the number of tasks per node",
        "use --tasks_per_node N");
  terminal.show_note(fmt::format("{} tasks per node, from {}", found->tasks, found->source));
  return make_nodes(problem, found->tasks, shared);
}

/// Returns the totals that the options specify; none if they come from the problem.
std::vector<std::int64_t> totals_of(const SolveOptions& options,
                                    const std::optional<pelayout::Nodes>& nodes) {
  if (options.total_nodes.empty())
    return options.total_tasks.empty() ? std::vector<std::int64_t>{}
                                       : pelayout::parse_totals(options.total_tasks);
  std::vector<std::int64_t> totals = pelayout::parse_totals(options.total_nodes);
  if (totals.back() > pelayout::max_count / nodes->tasks_per_node)
    throw support::usage_error(
        fmt::format("too many tasks: {} nodes of {} tasks", totals.back(), nodes->tasks_per_node),
        fmt::format("use at most {} tasks", pelayout::max_count));
  for (std::int64_t& total : totals) total *= nodes->tasks_per_node;
  return totals;
}

}  // namespace

pelayout::StudyRequest study_request(const SolveOptions& options, const OptionParser& parser,
                                     std::vector<Diagnostic>& warnings, const Terminal& terminal) {
  warn_of_ignored_options(options, parser, warnings);
  std::vector<pelayout::TimingFile> runs;
  pelayout::Problem problem = load_problem(source_of(options, parser, runs, terminal), warnings);
  const std::optional<pelayout::Nodes> nodes = nodes_of(options, problem, runs, terminal);
  pelayout::StudyRequest request = {.problem = std::move(problem),
                                    .runs = std::move(runs),
                                    .layout = options.layout,
                                    .totals = totals_of(options, nodes),
                                    .objective = options.objective,
                                    .plan = {.model = pelayout::model_kind(options.model),
                                             .solver = pelayout::solver_kind(options.solver),
                                             .exact_sum = options.exact_sum,
                                             .nodes = nodes},
                                    .block_sizes = options.block_sizes,
                                    .check = options.check,
                                    .steps_per_day = options.search.steps_per_day,
                                    .analysis = !options.silent || options.json,
                                    .needs_next_runs = options.next_runs.has_value()};
  if (request.totals.empty() && !request.problem.total_tasks)
    throw support::usage_error("missing --total_tasks: " + options.json_input + " contains no totaltasks",
                               "use --total_tasks N, or add totaltasks to the file");
  return request;
}

void show_data_warnings(std::span<const Diagnostic> warnings, const SolveOptions& options,
                        const Terminal& terminal) {
  constexpr std::size_t few = 8;
  std::span<const Diagnostic> rest =
      options.verbose ? warnings : warnings.first(std::min(few, warnings.size()));
  for (; !rest.empty(); rest = rest.subspan(1)) terminal.show_warnings(rest.first(1));
  if (warnings.size() > few && !options.verbose)
    terminal.show_note(fmt::format("{} more warnings; use --verbose to show them", warnings.size() - few));
}

}  // namespace plimsoll::cli
