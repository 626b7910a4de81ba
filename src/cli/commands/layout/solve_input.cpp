#include "cli/commands/layout/solve_input.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>

#include <plimsoll/pelayout/problem_source.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::inline v0_1::cli {

namespace {

pelayout::ProblemSource source_of(const SolveOptions& options, const CLI::App& app,
                                  std::vector<pelayout::TimingFile>& runs, const Terminal& terminal) {
  pelayout::ProblemSource source = {
      .json = options.json_input,
      .search = options.search,
      .combination = support::value_of(pelayout::combinations, options.combine, "combination"),
      .threads = options.threads,
      .mix = options.mix,
      .block_sizes = {.all = options.block_size, .by_component = options.block_sizes}};
  source.search.files.insert(source.search.files.end(), options.files.begin(), options.files.end());
  if (app.count("--cost") > 0) source.unit = support::value_of(pelayout::cost_units, options.cost, "cost");
  source.on_timing_file = [&runs, &terminal, verbose = options.verbose](const pelayout::TimingFile& file) {
    if (verbose) terminal.show_note("Reading timing file " + file.path);
    runs.push_back(file);
  };
  return source;
}

void warn_of_ignored_options(const SolveOptions& options, const CLI::App& app,
                             std::vector<Diagnostic>& warnings) {
  const std::vector<std::string> ignored = timing_options(app);
  if (options.json_input.empty() || ignored.empty()) return;
  warnings.push_back({.severity = support::Severity::warning,
                      .what = fmt::format("{} {} ignored: the data come from {}", fmt::join(ignored, ", "),
                                          ignored.size() > 1 ? "are" : "is", options.json_input)});
}

}  // namespace

pelayout::StudyRequest study_request(const SolveOptions& options, const CLI::App& app,
                                     std::vector<Diagnostic>& warnings, const Terminal& terminal) {
  warn_of_ignored_options(options, app, warnings);
  std::vector<pelayout::TimingFile> runs;
  pelayout::Problem problem = load_problem(source_of(options, app, runs, terminal), warnings);
  pelayout::StudyRequest request = {.problem = std::move(problem),
                                    .runs = std::move(runs),
                                    .layout = options.layout,
                                    .objective = options.objective,
                                    .plan = {.model = pelayout::model_kind(options.model),
                                             .solver = pelayout::solver_kind(options.solver),
                                             .exact_sum = options.exact_sum},
                                    .block_sizes = options.block_sizes,
                                    .check = options.check,
                                    .steps_per_day = options.search.steps_per_day,
                                    .analysis = !options.silent || options.json,
                                    .needs_next_runs = options.next_runs.has_value()};
  if (options.total_tasks.empty() && !request.problem.total_tasks)
    throw support::usage_error("missing --total_tasks: " + options.json_input + " contains no totaltasks",
                               "use --total_tasks N, or add totaltasks to the file");
  if (!options.total_tasks.empty()) request.totals = pelayout::parse_totals(options.total_tasks);
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
