#include "cli/commands/report/report_document.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>

#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/documents/data_sets.hpp>
#include <plimsoll/documents/placements.hpp>
#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/validator.hpp>
#include <plimsoll/report/html_page.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/json_view.hpp>
#include <plimsoll/support/version.hpp>

#include "cli/commands/info/info_text.hpp"
#include "cli/terminal/text.hpp"

#ifdef PLIMSOLL_WITH_COLLECTIVES
#include <plimsoll/collectives/files.hpp>
#endif

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

lbdata::Dataset read_data_set(const std::string& path, const DataSetSectionOptions& options,
                              const lbdata::PhaseSelection& selection, Terminal& terminal) {
  if (options.is_growing)
    return lbdata::read_growing(path, {.phases = selection,
                                       .expected_ranks = options.reading.expected_ranks,
                                       .threads = options.reading.threads,
                                       .limits = options.reading.limits})
        .dataset;
  InputOptions reading = options.reading;
  reading.paths = {path};
  return read_input(reading, selection, terminal);
}

void write_comparison(support::JsonWriter& json, const lbdata::Dataset& dataset,
                      const DataSetSectionOptions& options, std::int64_t worst_phase,
                      support::Progress& progress) {
  json.key("comparison");
  if (options.strategies.empty()) {
    json.null();
    return;
  }
  balance::PhaseRequest request;
  request.phase = options.phase.value_or(worst_phase);
  request.columns.subphases = options.synchronised;
  const balance::PhaseComparison comparison =
      balance::compare(dataset, balance::StrategySpec::parse_list(options.strategies), request, progress);
  json.raw(report::with_exact_integers(
      documents::to_json(documents::ComparisonInfo{comparison, {"", request.load_model}, true})));
}

/// Writes an LB data set: its `info` document, its columns, and a comparison of strategies.
void write_data_set_section(support::JsonWriter& json, const std::string& path,
                            const DataSetSectionOptions& options, Terminal& terminal) {
  const auto selection =
      options.phases.empty() ? lbdata::PhaseSelection::all() : lbdata::PhaseSelection::parse(options.phases);
  const lbdata::Dataset dataset = read_data_set(path, options, selection, terminal);
  TerminalProgress progress(terminal);
  const balance::DatasetOverview overview = balance::overview(dataset, {.synchronised = options.synchronised,
                                                                        .phases = selection,
                                                                        .threads = options.reading.threads,
                                                                        .progress = &progress});
  // A program may still write the selected phases.
  if (overview.phases.empty()) throw no_complete_phases(options.is_growing ? "" : options.phases, path);
  const std::vector<Diagnostic> warnings =
      lbdata::message_warnings(lbdata::message_kinds(dataset), dataset.ranks.size());
  json.begin_object().member("kind", "lb_data").member("name", path);
  json.key("info").raw(report::with_exact_integers(
      documents::to_json(documents::DataSetInfo{dataset, overview, false, warnings})));
  report::write_data_set(json, dataset, overview, {}, progress);
  write_comparison(json, dataset, options, overview.worst_phase()->phase, progress);
  json.end_object();
}

/// Returns whether a document has the members of a solution that the page needs.
bool is_solution(const support::JsonView& document) {
  const auto all_are = [&](bool (support::JsonView::*of_type)() const,
                           std::initializer_list<std::string_view> names) {
    return std::ranges::all_of(names, [&](std::string_view name) {
      const std::optional<support::JsonView> member = document.find(name);
      return member && ((*member).*of_type)();
    });
  };
  return all_are(&support::JsonView::is_object, {"answer", "layout", "solution"}) &&
         all_are(&support::JsonView::is_array, {"places", "runs", "left_out", "models", "warnings"});
}

/// Returns whether a file contains a solution. A name such as layout.1.json does not tell it from LB data.
bool is_solution_file(const std::string& path, const support::SizeLimits& limits) {
  try {
    support::JsonParser parser(path);
    return is_solution(parser.parse(support::read_text_file(path, limits.max_bytes)));
  } catch (const Error&) {
    return false;  // its reader reports the error
  }
}

void write_statistics_section(support::JsonWriter& json, const std::string& path,
                              const support::SizeLimits& limits) {
  json.begin_object().member("kind", "statistics").member("name", path);
  const std::vector<lbdata::StatisticsRecord> phases = lbdata::read_statistics_file(path, limits);
  json.key("statistics").raw(documents::to_json(documents::StatisticsFileInfo{phases})).end_object();
}

void write_layout_section(support::JsonWriter& json, const std::string& path,
                          const support::SizeLimits& limits) {
  const std::string text = support::read_text_file(path, limits.max_bytes);
  support::JsonParser parser(path);
  if (!is_solution(parser.parse(text)))
    throw Error(ErrorKind::bad_input,
                {.what = "neither LB data, nor a profile, nor the output of plimsoll layout solve",
                 .file = path,
                 .suggestion = "use plimsoll layout solve --json > FILE"});
  json.begin_object().member("kind", "layout").member("name", path).key("solution").raw(text).end_object();
}

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
    else if (is_file && path.ends_with(".json") && !lbdata::is_data_file(path, limits) &&
             (!lbdata::rank_of_file(path) || is_solution_file(path, limits)))
      write_layout_section(json, path, limits);
    else
      write_data_set_section(json, path, options, terminal);
  }
}

}  // namespace

void add_report_options(OptionParser& parser, DataSetSectionOptions& options) {
  parser
      .add_option("INPUT", options.reading.paths,
                  "LB data sets, LBStatsfiles, profiles of collectives, and outputs of plimsoll layout solve "
                  "--json")
      .required();
  parser.add_option("--phases LIST", options.phases, "Phases to show, e.g. 0-10,20,%50 [default: all]");
  std::vector<std::string> strategies = strategy_names();
  strategies.insert(strategies.end(), {"all", "none"});
  parser
      .add_option("--strategies LIST", options.strategies,
                  fmt::format("Strategies to compare, as in plimsoll compare; all; none [default: {}]",
                              options.strategies))
      .suggests(strategies);
  parser.add_option("--phase N", options.phase,
                    "Phase for which strategies are compared [default: the phase that loses most time]");
  add_subphases_option(parser, options.synchronised);
  add_reading_options(parser, options.reading);
  add_expected_ranks_option(parser, options.reading);
}

void resolve_strategies(DataSetSectionOptions& options) {
  std::string& strategies = options.strategies;
  if (strategies == "none") strategies.clear();
  if (strategies == "all")
    strategies =
        joined(balance::all_strategies(), ",", [](const auto& strategy) { return to_string(strategy); });
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
  if (options.synchronised) add("--subphases", "synchronised");
  if (options.phase) add("--phase", std::to_string(*options.phase));
  if (options.reading.limits.max_bytes != support::SizeLimits().max_bytes)
    add("--max-size", std::to_string(options.reading.limits.max_bytes));
  if (options.reading.expected_ranks > 0)
    add("--expected-ranks", std::to_string(options.reading.expected_ranks));
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
