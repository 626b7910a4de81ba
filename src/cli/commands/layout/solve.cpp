#include <fmt/ranges.h>

#include <plimsoll/documents/layouts.hpp>
#include <plimsoll/pelayout/graphs.hpp>
#include <plimsoll/pelayout/layout.hpp>
#include <plimsoll/pelayout/pes_file.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/output_file.hpp>
#include <plimsoll/support/parse.hpp>

#include "cli/commands.hpp"
#include "cli/commands/layout/layout_text.hpp"
#include "cli/commands/layout/solve_options.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

constexpr const char* list_examples =
    R"(  plimsoll layout list                                           list the built-in layouts
  plimsoll layout solve --layout E3SM --timing_dir timing --total_tasks 1024
  plimsoll layout solve --layout '(ATM ; LND) | OCN' --timing_dir timing --total_tasks 1024)";

std::string list_text() {
  support::TextTable table({{"layout"}, {"expression"}});
  std::string descriptions;
  for (const pelayout::Layout& layout : pelayout::built_in_layouts())
    table.add_row({layout.name, to_string(layout.expression)});
  table.add_row({"Sequential", "ATM ; OCN ; ..."});
  for (const pelayout::Layout& layout : pelayout::built_in_layouts())
    descriptions += fmt::format("{}: {}\n", layout.name, layout.description);
  return table.to_string(Terminal::width()) + "\n" + descriptions +
         "Sequential: " + documents::sequential_layout +
         "\n\n\";\" separates parts that run sequentially on the same tasks, \"|\" parts that run "
         "concurrently.\n"
         "--layout also accepts an expression, or a YAML file with bounds per component\n"
         "(docs/reference/layouts.md).\n";
}

constexpr const char* solve_examples =
    R"(  plimsoll layout solve --casename_prefix lbt_timing_run --total_tasks 1024    after plimsoll layout submit
  plimsoll layout solve timing/* --total_tasks 1024 --blocksize 8 --blocksize_OCN 1
  plimsoll layout solve timing.*.tar.gz --total_tasks 1024 --steps_per_day 48  from GPTL statistics
  plimsoll layout solve --timing_dir timing --total_tasks 512:8192:512 --objective ratio=0.5
  plimsoll layout solve --timing_dir timing --total_tasks 1024 --layout '(ATM ; LND ; ICE) | OCN'
  plimsoll layout solve --timing_dir timing --total_tasks 1024 --pe_output config_pes.xml
  plimsoll layout solve --timing_dir timing --total_nodes 4:64:4 --tasks_per_node 128    components on whole nodes
  plimsoll layout solve --milp_input problem.json --model cime --exact_sum     solve like CIME's tool)";

/// Writes files that are published together, and keeps a list of them.
class Outputs {
 public:
  explicit Outputs(bool force) : force_(force) {}

  void write(const std::string& path, const std::string& text) {
    if (path.empty()) return;
    support::OutputFile file(path, {.overwrite = force_, .keep_unfinished = false});
    file.write(text);
    files_.push_back(std::move(file));
    names_.push_back(path);
  }
  void close() {
    support::OutputFile::close_together(files_);
    files_.clear();
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  bool force_;
  std::vector<support::OutputFile> files_;
  std::vector<std::string> names_;
};

const char* option_of(pelayout::StudyPart part) {
  using enum pelayout::StudyPart;
  switch (part) {
    case next_runs: return "--next_runs";
    case objective: return "--objective";
    case check: return "--check";
    case exact_sum: return "--exact_sum";
    case nodes: return "--tasks_per_node";
    case partitions: return "--partition";
    case several_totals: break;
  }
  return "a sweep over totals";
}

void refuse_with_external_solver(const pelayout::StudyRequest& request) {
  for (const pelayout::StudyPart part : unsupported_parts(request))
    throw support::usage_error(fmt::format("{} cannot be used with an external solver", option_of(part)));
}

void refuse_files_of_places(const pelayout::Study& study, const SolveOptions& options) {
  if (study.solution.places.empty() && !(options.pe_output.empty() && options.timeline_svg.empty()))
    throw support::bad_input("the solver returned no \"places\": cannot write a layout", options.layout,
                             "remove --pe_output and --timeline_svg");
}

/// Formats a PE file; with --pe_nodes, whole nodes are negative counts.
std::string pe_file(std::vector<pelayout::PesEntry> entries, const SolveOptions& options) {
  if (options.pe_nodes)
    for (pelayout::PesEntry& entry : entries) entry = pelayout::in_nodes(std::move(entry));
  return pelayout::to_xml(entries);
}

void write_solution(const pelayout::Study& study, const SolveOptions& options, Outputs& outputs) {
  if (!options.pe_output.empty()) outputs.write(options.pe_output, pe_file({to_pes(study)}, options));
  if (!options.timeline_svg.empty())
    outputs.write(options.timeline_svg,
                  timeline_svg(layout_timeline(study.solution, unit_symbol(study.problem.unit))));
  if (options.next_runs && study.next_runs)
    outputs.write(*options.next_runs, pe_file(study.next_runs->runs, options));
  if (options.graph_models)
    outputs.write(*options.graph_models, model_graphs_svg(study.problem, study.models, study.total));
}

void print_text(const pelayout::Study& study, const SolveOptions& options, Terminal& terminal) {
  const pelayout::Answer answer = pelayout::answer(study);
  terminal.print(fitted(sweep_text(study, terminal) + solution_text(study, answer, terminal) +
                        notes_text(study, answer, terminal) + prediction_text(study, terminal) +
                        next_runs_text(study, options.next_runs.has_value(), terminal)));
  if (options.print_models) terminal.print('\n' + fitted(models_text(study)));
  if (options.graph_models)
    terminal.print('\n' + model_graphs(study.problem, study.models, study.total, terminal));
  terminal.print(fmt::format("\nSolution ({}):\n", study.solver) + documented_lines(study));
}

void print(const pelayout::Study& study, std::span<const Diagnostic> warnings, const SolveOptions& options,
           const std::vector<std::string>& outputs, Terminal& terminal) {
  if (options.json) return terminal.print(documents::to_json(documents::StudyInfo{study, warnings, outputs}));
  if (options.silent)
    return terminal.print((options.print_models ? models_text(study) : "") + documented_lines(study));
  print_text(study, options, terminal);
  if (!outputs.empty())
    terminal.print(fmt::format("\nWrote {}\n", joined(outputs, ", ", &support::printable)));
}

/// Formats the size of each component's table: "ATM: 124 counts from 8 to 1,024, in blocks of 8; 4 lines".
std::string problem_sizes(const pelayout::Study& study) {
  std::string text;
  for (const pelayout::CostTable& table : cost_tables(study))
    if (table.size() > 0)
      text += fmt::format("{}: {} from {} to {}, in blocks of {}; {}\n", support::printable(table.component),
                          count(table.size(), "count"), count(table.processors.front()),
                          count(table.processors.back()), count(table.block_size),
                          count(table.lines.size(), "line"));
  return text;
}

void show_notes(const std::string& text, const Terminal& terminal) {
  for (support::LineReader lines(text); !lines.at_end(); lines.advance()) terminal.show_note(lines.line());
}

}  // namespace

Command define_layout_list(OptionParser& parser) {
  auto json = std::make_shared<bool>(false);
  parser.set_examples(list_examples);
  add_json_option(parser, *json);
  return [json](Terminal& terminal) {
    terminal.print(*json ? documents::to_json(documents::LayoutList{}) : fitted(list_text()));
    return 0;
  };
}

Command define_layout_solve(OptionParser& parser) {
  auto options = begin_command<SolveOptions>(parser, solve_examples);
  add_solve_options(parser, *options);

  return [options, parser](Terminal& terminal) {
    if (options->ascii) terminal.show_ascii_charts();
    options->block_sizes = block_sizes(parser);
    check_values(*options);
    check_outputs(*options);
    Outputs outputs(options->force);
    std::vector<Diagnostic> warnings;
    const pelayout::StudyRequest request = study_request(*options, parser, warnings, terminal);
    show_data_warnings(warnings, *options, terminal);

    refuse_with_external_solver(request);
    const pelayout::Study study = pelayout::study(request);
    refuse_files_of_places(study, *options);
    if (!options->json_output.empty())
      outputs.write(options->json_output, to_json(problem_with_question(request, study)));
    if (options->verbose) show_notes(runs_text(study), terminal);
    if (options->debug) show_notes(models_text(study) + problem_sizes(study), terminal);
    write_solution(study, *options, outputs);
    outputs.close();
    print(study, warnings, *options, outputs.names(), terminal);
    return 0;
  };
}

}  // namespace plimsoll::cli
