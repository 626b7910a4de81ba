#include <plimsoll/report/exports.hpp>
#include <plimsoll/support/internal/output_set.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/output_file.hpp>
#include <plimsoll/support/parse.hpp>

#include "cli/commands.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

struct ExportOptions {
  InputOptions input;
  std::string format;
  std::string output;
  std::string phases;
  std::string grid;
  bool force = false;
  bool json = false;
};

constexpr const char* export_examples =
    R"(  plimsoll export data --format csv -o tables             tasks.csv and edges.csv;
      then, in Python: pandas.read_csv("tables/tasks.csv")
  plimsoll export data --format vtk -o meshes --phases 0-9 --grid 8,4,2   then: open the .vtp files in ParaView
  plimsoll export data --format chrome-trace -o trace.json   then: open trace.json in https://ui.perfetto.dev)";

constexpr const char* csv = "csv";
constexpr const char* vtk = "vtk";
constexpr const char* chrome_trace = "chrome-trace";

using Content = std::function<void(const std::function<void(std::string_view)>& sink)>;

void write_file(support::OutputSet& files, const ExportOptions& options, const std::string& name,
                const Content& content) {
  check_output_file(options.output + "/" + name, options.force);
  support::OutputFile file = files.create(name);
  content([&](std::string_view text) { file.write(text); });
  file.finish();
}

struct ExportedPhases {
  lbdata::Dataset dataset;
  std::vector<std::int64_t> phases;
};

ExportedPhases read_phases(const ExportOptions& options, Terminal& terminal) {
  const auto selection =
      options.phases.empty() ? lbdata::PhaseSelection::all() : lbdata::PhaseSelection::parse(options.phases);
  ExportedPhases exported{.dataset = read_input(options.input, selection, terminal), .phases = {}};
  for (const std::int64_t phase : exported.dataset.phase_ids()) {
    const auto has_data = [&](const lbdata::RankData& rank) { return rank.resolve(phase).record != nullptr; };
    if (selection.contains(phase) && std::ranges::any_of(exported.dataset.ranks, has_data))
      exported.phases.push_back(phase);
  }
  if (exported.phases.empty())
    throw support::usage_error(options.phases.empty() ? "the data set contains no phases"
                                                      : "the data set contains no phase in " + options.phases,
                               "use plimsoll info to list its phases");
  return exported;
}

std::vector<std::string> export_tables(const ExportedPhases& data, const ExportOptions& options) {
  support::OutputSet files(options.output, options.force);
  write_file(files, options, "tasks.csv",
             [&](const auto& sink) { report::write_task_table(data.dataset, data.phases, sink); });
  write_file(files, options, "edges.csv",
             [&](const auto& sink) { report::write_edge_table(data.dataset, data.phases, sink); });
  files.publish();
  return files.paths();
}

report::RankGrid grid_of(const ExportOptions& options, std::size_t n_ranks) {
  if (options.grid.empty()) return report::RankGrid::for_ranks(n_ranks);
  report::RankGrid grid;
  std::string_view text = options.grid;
  const bool has_two =
      support::take_number(text, grid.x) && support::take(text, ",") && support::take_number(text, grid.y);
  const bool is_grid =
      has_two && (text.empty() || (support::take(text, ",") && support::take_number(text, grid.z)));
  if (!is_grid || !text.empty())
    throw support::usage_error(
        fmt::format("invalid value {} for --grid: expected X,Y or X,Y,Z", support::in_quotes(options.grid)));
  check_grid(grid, n_ranks);
  return grid;
}

std::vector<std::string> export_meshes(const ExportedPhases& data, const ExportOptions& options) {
  const lbdata::Dataset& dataset = data.dataset;
  const report::RankGrid grid = grid_of(options, dataset.ranks.size());
  support::OutputSet files(options.output, options.force);
  for (const std::int64_t phase : data.phases) {
    write_file(files, options, fmt::format("data_rank_mesh_{}.vtp", phase),
               [&](const auto& sink) { report::write_rank_mesh(dataset, phase, grid, sink); });
    write_file(files, options, fmt::format("data_object_mesh_{}.vtp", phase),
               [&](const auto& sink) { report::write_object_mesh(dataset, phase, grid, sink); });
  }
  files.publish();
  return files.paths();
}

std::vector<std::string> export_trace(const ExportedPhases& data, const ExportOptions& options) {
  check_output_file(options.output, options.force);
  support::OutputFile file(options.output, {.overwrite = options.force, .keep_unfinished = false});
  report::write_phase_trace(data.dataset, data.phases, [&](std::string_view text) { file.write(text); });
  file.close();
  return {options.output};
}

void print_trace(const ExportedPhases& data, Terminal& terminal) {
  report::write_phase_trace(data.dataset, data.phases, [&](std::string_view text) { terminal.print(text); });
}

std::string answer(const std::vector<std::string>& paths, const ExportedPhases& data,
                   const ExportOptions& options) {
  if (!options.json)
    return fmt::format("Wrote {} of {} to {}.\n", count(data.phases.size(), "phase"),
                       count(data.dataset.ranks.size(), "rank"), support::printable(options.output));
  return json_line([&](support::JsonWriter& json) {
    json.member("output", options.output)
        .member("ranks", data.dataset.ranks.size())
        .member("phases", data.phases.size())
        .key("files")
        .values(paths);
  });
}

void check_destination(const ExportOptions& options) {
  check_stdout(options.output, options.json);
  if (options.output == "-" && options.format != chrome_trace)
    throw support::usage_error(fmt::format("{} files cannot be written to stdout", options.format),
                               "use the name of a directory");
}

}  // namespace

Command define_export(OptionParser& parser) {
  auto options = begin_command<ExportOptions>(parser, export_examples);
  add_input_options(parser, options->input);
  Option format =
      parser
          .add_option("--format FORMAT", options->format,
                      "Format of the output:\n  csv: tables of tasks and edges, for pandas and R\n"
                      "  vtk: meshes of ranks and objects (.vtp), as vt-tv's, for ParaView\n"
                      "  chrome-trace: JSON for Perfetto and chrome://tracing")
          .one_of({csv, vtk, chrome_trace})
          .required();
  parser
      .add_option("-o,--output PATH", options->output,
                  "Output directory, or file of chrome-trace; - is stdout")
      .check(check_name)
      .required();
  parser.add_option("--phases LIST", options->phases, "Phases to export, e.g. 0-10,20,%50 [default: all]");
  parser
      .add_option("--grid X,Y,Z", options->grid,
                  "With vtk: ranks per axis of the grid on which ranks are drawn [default: a square]")
      .needs(format);
  parser.add_flag("--force", options->force, "Overwrite existing files");
  add_json_option(parser, options->json);

  return [options](Terminal& terminal) {
    if (!options->grid.empty() && options->format != vtk)
      throw support::usage_error("--grid requires --format vtk");
    check_destination(*options);
    const ExportedPhases data = read_phases(*options, terminal);
    if (options->output == "-") {
      print_trace(data, terminal);
      return 0;
    }
    const std::vector<std::string> paths = options->format == csv   ? export_tables(data, *options)
                                           : options->format == vtk ? export_meshes(data, *options)
                                                                    : export_trace(data, *options);
    terminal.print(answer(paths, data, *options));
    return 0;
  };
}

}  // namespace plimsoll::cli
