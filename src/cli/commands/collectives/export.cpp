#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/traces.hpp>
#include <plimsoll/placement/traffic_data.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/output_file.hpp>

#include "cli/commands.hpp"
#include "cli/commands/collectives/profile.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

struct ExportOptions {
  ProfileInput input;
  std::string traffic;
  OutputOptions output;
  std::string format;
  std::string file;
  bool json = false;
};

constexpr const char* export_examples =
    R"(  plimsoll collectives export profile --lb-data data
  plimsoll info data                                    use it like any other data set
  plimsoll collectives export profile --lb-data data --plain --force
  plimsoll collectives export profile --format chrome-trace -o trace.json
      then: open trace.json in https://ui.perfetto.dev
  plimsoll collectives export profile --format otf2 -o trace
      then: open trace/traces.otf2 in Vampir or Cube
  plimsoll collectives export profile --format text -o text     write the files of the collective profiler)";

// Formats of traces.
constexpr const char* chrome_trace = "chrome-trace";
constexpr const char* otf2 = "otf2";
// Forms of profiles.
constexpr const char* text_files = "text";
constexpr const char* profile_file = "profile";

std::size_t number_of_edges(const lbdata::Dataset& dataset) {
  std::size_t edges = 0;
  for (const lbdata::RankData& rank : dataset.ranks)
    for (const lbdata::PhaseRecord& phase : rank.phases)
      if (phase.communications) edges += phase.communications->size();
  return edges;
}

std::string text(const placement::TrafficData& data, const collectives::RecordedRun& run,
                 const std::string& folder) {
  return fmt::format("Wrote {} with {} to {}.\n{}\n", count(data.dataset.ranks.size(), "rank"),
                     count(number_of_edges(data.dataset), "edge"), support::printable(folder),
                     run.mpi_calls() ? "Loads are the times outside MPI."
                     : data.has_times
                         ? "Loads are the times between collective calls."
                         : "All loads are 1: the profile does not contain times of two calls on any rank.");
}

std::string json_text(const placement::TrafficData& data, const std::string& folder) {
  return json_line([&](support::JsonWriter& json) {
    json.member("output", folder)
        .member("ranks", data.dataset.ranks.size())
        .member("edges", number_of_edges(data.dataset))
        .member("has_times", data.has_times);
  });
}

std::string export_data_set(const ExportOptions& options, Terminal& terminal) {
  check_output(options.output);
  const collectives::RecordedRun run = read_run(options.input.paths, terminal);
  const placement::TrafficData data = placement::traffic_data(run, traffic_kind(options.traffic));
  terminal.show_warnings(data.findings);
  write_output(data.dataset, options.output, 0, terminal);
  return options.json ? json_text(data, options.output.folder) : text(data, run, options.output.folder);
}

std::uint64_t write_chrome_trace_file(const collectives::RecordedRun& run, const ExportOptions& options) {
  check_output_file(options.file, options.output.force);
  support::OutputFile file(options.file, {.overwrite = options.output.force, .keep_unfinished = false});
  const std::uint64_t calls = write_chrome_trace(run, [&](std::string_view text) { file.write(text); });
  file.close();
  return calls;
}

void check_stdout(const ExportOptions& options) {
  if (options.format != chrome_trace)
    throw support::usage_error(
        fmt::format("{} cannot be written to stdout", options.format == otf2 ? "an OTF2 trace" : "a profile"),
        "use the name of a directory");
  cli::check_stdout(options.file, options.json);
}

std::string export_trace(const ExportOptions& options, Terminal& terminal) {
  const collectives::RecordedRun run = read_run(options.input.paths, terminal);
  if (options.file == "-") {
    check_stdout(options);
    write_chrome_trace(run, [&](std::string_view text) { terminal.print(text); });
    return "";
  }
  const std::uint64_t calls = options.format == otf2
                                  ? write_otf2_trace(run, options.file, options.output.force)
                                  : write_chrome_trace_file(run, options);
  if (!options.json)
    return fmt::format("Wrote {} of {} to {}.\n", count(calls, "call"),
                       count(collectives::rank_hosts(run).size(), "rank"), support::printable(options.file));
  return json_line([&](support::JsonWriter& json) {
    json.member("output", options.file)
        .member("ranks", collectives::rank_hosts(run).size())
        .member("events", calls);
  });
}

std::string export_profile(const ExportOptions& options, Terminal& terminal) {
  if (options.file == "-") check_stdout(options);
  const collectives::Profile profile = read_profile(options.input.paths, terminal);
  const bool as_text = options.format == text_files;
  TerminalProgress progress(terminal);
  const std::vector<std::string> files = collectives::write(
      profile, options.file, {.text = as_text, .overwrite = options.output.force}, progress);
  progress.end();
  if (options.json)
    return json_line(
        [&](support::JsonWriter& json) { json.member("output", options.file).key("files").values(files); });
  std::string output;
  if (const std::string remark = remark_on_lists(profile); as_text && !remark.empty())
    output += "note: " + remark + "\n";
  return output +
         fmt::format("Wrote {} to {}.\n", count(files.size(), "file"), support::printable(options.file));
}

}  // namespace

Command define_collectives_export(OptionParser& parser) {
  auto options = begin_command<ExportOptions>(parser, export_examples);
  add_profile_input(parser, options->input);
  Option traffic = add_traffic_kind_option(parser, options->traffic);
  Option data_set = add_output_folder(parser, options->output, "--lb-data");
  parser.add_flag("--force", options->output.force, "Overwrite an existing data set or file");
  Option format =
      parser
          .add_option(
              "--format FORMAT", options->format,
              "Write the times of calls to -o: chrome-trace (JSON for Perfetto and chrome://tracing), or "
              "otf2 (a directory for Vampir, Cube and other tools); or the profile of collectives to the "
              "directory -o: text (the files of the collective profiler), or profile (only the compact "
              "collectives.job<J>.profile)")
          .one_of({chrome_trace, otf2, text_files, profile_file})
          .excludes(data_set)
          .excludes(traffic);
  Option file = parser
                    .add_option("-o,--output PATH", options->file,
                                "Output file, or directory, of --format; - is stdout, for chrome-trace")
                    .check(check_name)
                    .needs(format);
  format.needs(file);
  add_json_option(parser, options->json);

  return [options](Terminal& terminal) {
    if (options->output.folder.empty() && options->file.empty())
      throw support::usage_error("missing output", "use --lb-data DIR, or --format chrome-trace -o FILE");
    const bool is_profile = options->format == text_files || options->format == profile_file;
    terminal.print(options->file.empty() ? export_data_set(*options, terminal)
                   : is_profile          ? export_profile(*options, terminal)
                                         : export_trace(*options, terminal));
    return 0;
  };
}

}  // namespace plimsoll::cli
