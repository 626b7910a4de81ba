#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include <plimsoll/pelayout/layout_pes.hpp>
#include <plimsoll/pelayout/timeline.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/output_file.hpp>

#include "cli/commands.hpp"
#include "cli/commands/layout/model_graphs.hpp"
#include "cli/commands/layout/solve_input.hpp"
#include "cli/commands/layout/solve_json.hpp"
#include "cli/commands/layout/solve_options.hpp"
#include "cli/commands/layout/solve_problem.hpp"
#include "cli/commands/layout/solve_text.hpp"

namespace plimsoll::cli {

namespace {

constexpr const char* examples =
    R"(  plimsoll layout solve --casename_prefix lbt_timing_run --total_tasks 1024    of plimsoll layout submit
  plimsoll layout solve timing/* --total_tasks 1024 --blocksize 8 --blocksize_OCN 1
  plimsoll layout solve --timing_dir timing --total_tasks 512:8192:512 --objective ratio=0.5
  plimsoll layout solve --timing_dir timing --total_tasks 1024 --layout '(ATM ; LND ; ICE) | OCN'
  plimsoll layout solve --timing_dir timing --total_tasks 1024 --pe_output config_pes.xml
  plimsoll layout solve --milp_input problem.json --model cime --exact-sum     as CIME's tool does it)";

/// The problem as it is kept: with the layout and the total of the command line.
pelayout::Problem kept(pelayout::Problem problem, const SolveOptions& options) {
  problem.layout = layout_text(options, problem);
  const std::vector<std::int64_t> totals = totals_of(options, problem);
  if (totals.size() == 1) problem.total_tasks = totals.front();
  return problem;
}

/// Writes files, and remembers which.
class Outputs {
 public:
  explicit Outputs(bool force) : force_(force) {}

  void write(const std::string& path, const std::string& text) {
    support::OutputFile file(path, {.overwrite = force_});
    file.write(text);
    file.close();
    names.push_back(path);
  }

  std::vector<std::string> names;

 private:
  bool force_;
};

void write_solution(const SolveAnswer& answer, const SolveOptions& options, Outputs& outputs) {
  if (!options.pe_output.empty())
    outputs.write(options.pe_output, pelayout::to_xml({to_pes(answer.problem, answer.solution)}));
  if (!options.timeline_svg.empty())
    outputs.write(options.timeline_svg,
                  timeline_svg(layout_timeline(answer.solution, answer.per_day() ? "s/day" : "s")));
  if (!options.next_runs.value_or("").empty() && answer.next_runs)
    outputs.write(*options.next_runs, pelayout::to_xml(answer.next_runs->runs));
}

void print_text(const SolveAnswer& answer, const SolveOptions& options, Terminal& terminal) {
  terminal.print(sweep_text(answer, terminal) + solution_text(answer, terminal) +
                 notes_text(answer, terminal) + prediction_text(answer, terminal) +
                 next_runs_text(answer, options.next_runs.has_value(), terminal));
  if (options.print_models) terminal.print('\n' + models_text(answer));
  if (options.graph_models) {
    terminal.print("\n");
    show_model_graphs(answer.problem, answer.models, answer.total, *options.graph_models, options.force,
                      terminal);
  }
  terminal.print(documented_text(answer));
}

void print(const SolveAnswer& answer, const SolveOptions& options, Outputs& outputs, Terminal& terminal) {
  const std::string& picture = options.graph_models.value_or("");
  if (options.json || options.silent) {
    if (!picture.empty())
      write_model_graphs(answer.problem, answer.models, answer.total, picture, options.force);
  } else {
    print_text(answer, options, terminal);
  }
  if (!picture.empty()) outputs.names.push_back(picture);
  if (options.json)
    terminal.print(answer_json(answer, outputs.names));
  else if (options.silent)
    terminal.print((options.print_models ? models_text(answer) : "") + documented_lines(answer));
  else if (!outputs.names.empty())
    terminal.print(fmt::format("\nWrote {}\n", fmt::join(outputs.names, ", ")));
}

void show_debug(const SolveAnswer& answer, const Terminal& terminal) {
  const std::string text = models_text(answer) + answer.sizes;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    terminal.show_note(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
}

}  // namespace

Command define_layout_solve(CLI::App& app) {
  auto options = std::make_shared<SolveOptions>();
  app.footer(examples);
  add_solve_options(app, *options);

  return [options, &app](Terminal& terminal) {
    options->block_sizes = block_sizes(app);
    check_values(*options);
    check_outputs(*options);
    Outputs outputs(options->force);
    std::vector<Diagnostic> warnings;
    const pelayout::Problem problem = read_problem(*options, app, warnings, terminal);
    show_data_warnings(warnings, *options, terminal);
    if (!options->json_output.empty()) outputs.write(options->json_output, to_json(kept(problem, *options)));

    SolveAnswer answer = solve(problem, *options);
    answer.warnings = std::move(warnings);
    if (options->debug) show_debug(answer, terminal);
    write_solution(answer, *options, outputs);
    print(answer, *options, outputs, terminal);
    return 0;
  };
}

}  // namespace plimsoll::cli
