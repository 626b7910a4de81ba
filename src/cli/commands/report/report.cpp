#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/lbdata/file_set.hpp>
#include <plimsoll/lbdata/statistics_record.hpp>
#include <plimsoll/report/html_page.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/json_writer.hpp>
#include <plimsoll/support/output_file.hpp>
#include <plimsoll/support/printable.hpp>

#include "cli/commands.hpp"
#include "cli/commands/report/sections.hpp"
#include "cli/options/input_options.hpp"
#include "cli/options/integer_option.hpp"
#include "cli/options/output_options.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::inline v0_1::cli {

namespace {

constexpr const char* default_strategies = "GreedyLB,RefineLB,GreedyRefineLB,CommAwareRefineLB";

struct ReportOptions {
  DataSetSectionOptions data_sets{.strategies = default_strategies};
  std::string output;
  bool force = false;
  bool json = false;
};

constexpr const char* report_examples =
    R"(  plimsoll report data -o report.html                  one LB data set
  plimsoll report data balanced -o report.html         before and after balancing
  plimsoll report data --strategies all -o report.html what each strategy would change
  plimsoll report data plimsoll-profile -o report.html also a profile of collectives
  plimsoll layout solve *timing* --json > layout.json
      then: plimsoll report layout.json -o report.html)";

/// Writes the sections of one input. A directory may contain both LB data and a profile.
void write_sections(support::JsonWriter& json, const std::string& path, const ReportOptions& options,
                    Terminal& terminal) {
  const support::SizeLimits& limits = options.data_sets.reading.limits;
  const bool is_folder = std::filesystem::is_directory(path);
  const bool is_profile = std::filesystem::exists(path) && collectives::has_profile_files(path);
  if (is_profile) write_collectives_section(json, path, terminal);
  if (is_folder) {
    if (!is_profile || !lbdata::sets_of_folder(path).empty())
      write_data_set_section(json, path, options.data_sets, terminal);
  } else if (!is_profile) {
    const bool is_file = std::filesystem::is_regular_file(path);
    if (is_file && lbdata::is_statistics_file(path, limits))
      write_statistics_section(json, path, limits);
    else if (is_file && !lbdata::rank_of_file(path) && path.ends_with(".json"))
      write_layout_section(json, path);
    else
      write_data_set_section(json, path, options.data_sets, terminal);
  }
}

std::vector<std::string> command_line(const ReportOptions& options) {
  std::vector<std::string> words = {"plimsoll", "report"};
  const DataSetSectionOptions& data_sets = options.data_sets;
  words.insert(words.end(), data_sets.reading.paths.begin(), data_sets.reading.paths.end());
  if (!data_sets.phases.empty()) words.insert(words.end(), {"--phases", data_sets.phases});
  words.insert(words.end(), {"--strategies", data_sets.strategies.empty() ? "none" : data_sets.strategies});
  if (data_sets.phase) words.insert(words.end(), {"--phase", std::to_string(*data_sets.phase)});
  words.insert(words.end(), {"-o", options.output});
  return words;
}

std::string document_of(const ReportOptions& options, Terminal& terminal) {
  std::string text;
  support::JsonWriter json(text);
  json.begin_object()
      .member("plimsoll", PLIMSOLL_VERSION)
      .key("command")
      .values(command_line(options))
      .key("sections")
      .begin_array();
  for (const std::string& path : options.data_sets.reading.paths)
    write_sections(json, path, options, terminal);
  json.end_array().end_object();
  return text;
}

void use_strategies(std::string& strategies) {
  if (strategies == "none") strategies.clear();
  if (strategies == "all") {
    std::vector<std::string> names;
    for (const balance::StrategySpec& strategy : balance::all_strategies())
      names.push_back(to_string(strategy));
    strategies = fmt::format("{}", fmt::join(names, ","));
  }
}

}  // namespace

Command define_report(CLI::App& app) {
  auto options = std::make_shared<ReportOptions>();
  DataSetSectionOptions& data_sets = options->data_sets;
  app.footer(report_examples);
  app.add_option("INPUT", data_sets.reading.paths,
                 "LB data sets, LBStatsfiles, profiles of collectives,\nand outputs of plimsoll layout solve "
                 "--json")
      ->required();
  app.add_option("-o,--output", options->output, "The page to write")
      ->option_text("FILE")
      ->check(check_name)
      ->required();
  app.add_option("--phases", data_sets.phases, "Phases to show, e.g. 0-10,20,%50 [default: all]")
      ->option_text("LIST");
  app.add_option("--strategies", data_sets.strategies,
                 fmt::format("Strategies to compare, as in plimsoll compare; all; none\n[default: {}]",
                             "GreedyLB, RefineLB, GreedyRefineLB,\nCommAwareRefineLB"))
      ->option_text("LIST");
  add_integer_option(app, "--phase", data_sets.phase,
                     "Phase for which strategies are compared\n[default: the phase that loses most time]");
  app.add_flag("--force", options->force, "Overwrite an existing file");
  add_reading_options(app, data_sets.reading);
  add_json_option(app, options->json);

  return [options](Terminal& terminal) {
    use_strategies(options->data_sets.strategies);
    support::OutputFile file(options->output, {.overwrite = options->force, .keep_unfinished = false});
    std::uint64_t size_bytes = 0;
    report::write_html_page(document_of(*options, terminal), [&](std::string_view text) {
      size_bytes += text.size();
      file.write(text);
    });
    file.close();
    if (options->json) {
      std::string text;
      support::JsonWriter(text)
          .begin_object()
          .member("output", options->output)
          .member("bytes", size_bytes)
          .end_object();
      terminal.print(text + '\n');
    } else {
      terminal.print(fmt::format("Wrote {} ({}). Open it in a browser.\n", support::printable(options->output),
                                 support::format_bytes(size_bytes)));
    }
    return 0;
  };
}

}  // namespace plimsoll::cli
