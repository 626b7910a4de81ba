#include "cli/commands/report/report_document.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <string>
#include <vector>

#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/statistics_file.hpp>
#include <plimsoll/support/json_writer.hpp>
#include <plimsoll/support/version.hpp>

#ifdef PLIMSOLL_WITH_COLLECTIVES
#include <plimsoll/collectives/files.hpp>
#endif

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

/// Writes the section of a profile, and returns whether the path contains one.
bool write_profile_section([[maybe_unused]] support::JsonWriter& json,
                           [[maybe_unused]] const std::string& path, [[maybe_unused]] Terminal& terminal) {
#ifdef PLIMSOLL_WITH_COLLECTIVES
  if (std::filesystem::exists(path) && collectives::has_profile_files(path)) {
    write_collectives_section(json, path, terminal);
    return true;
  }
#endif
  return false;
}

/// Writes the sections of one input. A directory may contain both LB data and a profile.
void write_sections(support::JsonWriter& json, const std::string& path, const DataSetSectionOptions& options,
                    Terminal& terminal) {
  const support::SizeLimits& limits = options.reading.limits;
  const bool is_folder = std::filesystem::is_directory(path);
  const bool is_profile = write_profile_section(json, path, terminal);
  if (is_folder) {
    if (!is_profile || !lbdata::sets_of_folder(path).empty())
      write_data_set_section(json, path, options, terminal);
  } else if (!is_profile) {
    const bool is_file = std::filesystem::is_regular_file(path);
    if (is_file && lbdata::is_statistics_file(path, limits))
      write_statistics_section(json, path, limits);
    else if (is_file && path.ends_with(".json") && !lbdata::rank_of_file(path) &&
             !lbdata::is_data_file(path, limits))
      write_layout_section(json, path, limits);
    else
      write_data_set_section(json, path, options, terminal);
  }
}

}  // namespace

void add_report_options(OptionParser& parser, DataSetSectionOptions& options) {
  parser
      .add_option(
          "INPUT", options.reading.paths,
          "LB data sets, LBStatsfiles, profiles of collectives,\nand outputs of plimsoll layout solve "
          "--json")
      .required();
  parser.add_option("--phases LIST", options.phases, "Phases to show, e.g. 0-10,20,%50 [default: all]");
  parser.add_option("--strategies LIST", options.strategies,
                    fmt::format("Strategies to compare, as in plimsoll compare; all; none\n[default: {}]",
                                options.strategies));
  parser.add_option("--phase N", options.phase,
                    "Phase for which strategies are compared\n[default: the phase that loses most time]");
  add_reading_options(parser, options.reading);
}

void resolve_strategies(DataSetSectionOptions& options) {
  std::string& strategies = options.strategies;
  if (strategies == "none") strategies.clear();
  if (strategies == "all") {
    std::vector<std::string> names;
    for (const balance::StrategySpec& strategy : balance::all_strategies())
      names.push_back(to_string(strategy));
    strategies = fmt::format("{}", fmt::join(names, ","));
  }
}

std::vector<std::string> command_line(const std::string& subcommand, const DataSetSectionOptions& options) {
  std::vector<std::string> words = {"plimsoll", subcommand};
  words.insert(words.end(), options.reading.paths.begin(), options.reading.paths.end());
  const auto add = [&](const char* name, const std::string& value) {
    words.insert(words.end(), {name, value});
  };
  if (!options.phases.empty()) add("--phases", options.phases);
  if (options.strategies != DataSetSectionOptions().strategies)
    add("--strategies", options.strategies.empty() ? "none" : options.strategies);
  if (options.phase) add("--phase", std::to_string(*options.phase));
  if (options.reading.limits.max_bytes != support::SizeLimits().max_bytes)
    add("--max-size", std::to_string(options.reading.limits.max_bytes));
  return words;
}

std::string report_document(const DataSetSectionOptions& options, const std::vector<std::string>& command,
                            Terminal& terminal) {
  std::string text;
  support::JsonWriter json(text);
  json.begin_object()
      .member("plimsoll", PLIMSOLL_VERSION)
      .key("command")
      .values(command)
      .key("sections")
      .begin_array();
  for (const std::string& path : options.reading.paths) write_sections(json, path, options, terminal);
  json.end_array().end_object();
  return text;
}

}  // namespace plimsoll::cli
