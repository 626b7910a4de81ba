#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/lbdata/validator.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/output_file.hpp>

#include "cli/commands.hpp"
#include "cli/commands/info/info_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

struct InfoOptions {
  InputOptions input;
  std::string load_field;
  std::string phases;
  std::optional<balance::WorkCoefficients> work;
  bool memory = false;
  bool synchronised = false;  ///< whether the ranks synchronise after each subphase
  bool ranks = false;
  std::optional<std::int64_t> phase;  ///< phase for `ranks`
  std::string csv;
  bool force = false;
  bool json = false;
  bool ascii = false;
};

constexpr const char* info_examples =
    R"(  plimsoll info data                        show how evenly the work is distributed
  plimsoll info data --phases 0-10,20,%50   phases 0 to 10, 20 and every 50th
  plimsoll info data --work 1,1e-8,0        work = 1 x load + 1e-8 s/B x traffic + 0 s
  plimsoll info data --work 1,1e-8,0,1e-9   ... + 1e-9 s/B x off-home shared-block bytes
  plimsoll info data --ranks                load, objects, memory and traffic of each rank
  plimsoll info data --ranks --csv - > ranks.csv
  plimsoll info vt_lb_statistics.2026-01-31-12-00-00.json
  plimsoll info data --json | jq '.phases[].imbalance')";

lbdata::Dataset read_loads(const InfoOptions& options, const lbdata::PhaseSelection& phases,
                           Terminal& terminal) {
  lbdata::Dataset dataset = read_input(options.input, phases, terminal);
  balance::use_load_field(dataset, options.load_field);
  if (!options.json && options.csv != "-") terminal.print(load_field_line(options.load_field));
  return dataset;
}

void show_overview(const InfoOptions& options, Terminal& terminal) {
  const auto selection =
      options.phases.empty() ? lbdata::PhaseSelection::all() : lbdata::PhaseSelection::parse(options.phases);
  const lbdata::Dataset dataset = read_loads(options, selection, terminal);
  TerminalProgress progress(terminal);
  const balance::DatasetOverview overview = balance::overview(dataset, {.work = options.work,
                                                                        .memory = options.memory,
                                                                        .synchronised = options.synchronised,
                                                                        .phases = selection,
                                                                        .threads = options.input.threads,
                                                                        .progress = &progress});
  if (overview.phases.empty()) throw no_complete_phases(options.phases);
  const std::vector<Diagnostic> warnings =
      lbdata::message_warnings(lbdata::message_kinds(dataset), dataset.ranks.size());
  terminal.show_warnings(warnings);
  const bool with_work = options.work.has_value();
  terminal.print(options.json
                     ? documents::to_json(documents::DataSetInfo{dataset, overview, with_work, warnings})
                     : fitted(overview_text(dataset, overview, with_work, terminal)));
}

void show_ranks(const InfoOptions& options, Terminal& terminal) {
  const bool to_file = !options.csv.empty() && options.csv != "-";
  const support::OutputOptions output = {.overwrite = options.force, .keep_unfinished = false};
  check_output_file(options.csv, options.force);
  if (to_file) support::OutputFile::check(options.csv, output);
  const lbdata::Dataset dataset = read_loads(options, lbdata::PhaseSelection::all(), terminal);
  const std::int64_t phase = options.phase ? *options.phase : balance::last_complete_phase(dataset);
  const std::vector<balance::RankOverview> ranks = balance::rank_overviews(dataset, phase);
  const documents::RankInfo info = {phase, ranks};
  if (options.json) return documents::write_json(info, terminal.printer());
  if (options.csv == "-") return write_rank_csv(info, terminal.printer());
  terminal.print(fitted(rank_text(info, terminal)));
  if (!to_file) return;
  support::OutputFile file(options.csv, output);
  write_rank_csv(info, [&](std::string_view text) { file.write(text); });
  file.close();
  terminal.print(fmt::format("Wrote {}.\n", support::printable(file.path())));
}

bool is_statistics_file(const InfoOptions& options) {
  const std::vector<std::string>& paths = options.input.paths;
  return paths.size() == 1 && lbdata::is_statistics_file(paths.front(), options.input.limits);
}

void show_statistics_file(const InfoOptions& options, Terminal& terminal) {
  const std::string& path = options.input.paths.front();
  if (options.ranks || options.work || options.synchronised || !options.load_field.empty())
    throw Error(ErrorKind::usage, {.what = "an LBStatsfile contains statistics, but no objects",
                                   .file = path,
                                   .suggestion = fmt::format("specify LB data files for {}, or omit it",
                                                             options.ranks          ? "--ranks"
                                                             : options.work         ? "--work"
                                                             : options.synchronised ? "--subphases"
                                                                                    : "--load")});
  std::vector<lbdata::StatisticsRecord> phases = lbdata::read_statistics_file(path, options.input.limits);
  if (path.ends_with(".partial"))
    terminal.show_warning(
        {.what = "a program is still writing it, or was killed: it may lack phases", .file = path});
  if (!options.phases.empty()) {
    const auto selection = lbdata::PhaseSelection::parse(options.phases);
    std::erase_if(phases, [&](const auto& phase) { return !selection.contains(phase.phase); });
  }
  if (phases.empty())
    throw options.phases.empty()
        ? support::bad_input("the LBStatsfile contains no phases", path)
        : support::usage_error(fmt::format("the LBStatsfile contains no phase in {}", options.phases),
                               "use plimsoll info without --phases to list its phases");
  terminal.print(options.json ? documents::to_json(documents::StatisticsFileInfo{phases})
                              : fitted(statistics_text(phases, terminal)));
}

}  // namespace

Command define_info(OptionParser& parser) {
  auto options = begin_command<InfoOptions>(parser, info_examples);
  add_input_options(parser, options->input);
  add_load_option(parser, options->load_field);
  Option phases = parser.add_option("--phases LIST", options->phases,
                                    "Phases to analyse, e.g. 0-10,20,%50 [default: all]");
  add_work_option(parser, options->work, options->memory);
  add_subphases_option(parser, options->synchronised);
  Option ranks = parser
                     .add_flag("--ranks", options->ranks,
                               "Show load, objects, memory and traffic of each rank in one phase")
                     .excludes(phases)
                     .excludes(parser.option("--work"))
                     .excludes(parser.option("--subphases"));
  parser
      .add_option("--phase N", options->phase,
                  "Phase for --ranks [default: the last phase with data on all ranks]")
      .needs(ranks);
  Option csv = parser.add_option("--csv FILE", options->csv, "Write the table of --ranks as CSV; - is stdout")
                   .check(check_name)
                   .needs(ranks);
  parser.add_flag("--force", options->force, "Overwrite an existing file").needs(csv);
  add_json_option(parser, options->json);
  csv.excludes(parser.option("--json"));
  add_ascii_option(parser, options->ascii);

  return [options](Terminal& terminal) {
    if (options->ascii) terminal.show_ascii_charts();
    if (is_statistics_file(*options))
      show_statistics_file(*options, terminal);
    else if (options->ranks)
      show_ranks(*options, terminal);
    else
      show_overview(*options, terminal);
    return 0;
  };
}

}  // namespace plimsoll::cli
