#include <string>

#include <plimsoll/balance/decision.hpp>
#include <plimsoll/balance/overview.hpp>
#include <plimsoll/documents/data_sets.hpp>
#include <plimsoll/documents/placements.hpp>
#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/validator.hpp>
#include <plimsoll/report/html_page.hpp>

#include "cli/commands/info/info_text.hpp"
#include "cli/commands/report/sections.hpp"
#include "cli/terminal/terminal.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

lbdata::Dataset read_data_set(const std::string& path, const DataSetSectionOptions& options,
                              const lbdata::PhaseSelection& selection, Terminal& terminal) {
  if (options.is_growing)
    return lbdata::read_growing(
               path,
               {.phases = selection, .threads = options.reading.threads, .limits = options.reading.limits})
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
  const balance::PhaseComparison comparison =
      balance::compare(dataset, balance::StrategySpec::parse_list(options.strategies), request, progress);
  json.raw(report::with_exact_integers(
      documents::to_json(documents::ComparisonInfo{comparison, {"", request.load_model}, true})));
}

}  // namespace

void write_data_set_section(support::JsonWriter& json, const std::string& path,
                            const DataSetSectionOptions& options, Terminal& terminal) {
  const auto selection =
      options.phases.empty() ? lbdata::PhaseSelection::all() : lbdata::PhaseSelection::parse(options.phases);
  const lbdata::Dataset dataset = read_data_set(path, options, selection, terminal);
  TerminalProgress progress(terminal);
  const balance::DatasetOverview overview = balance::overview(
      dataset, {.phases = selection, .threads = options.reading.threads, .progress = &progress});
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

}  // namespace plimsoll::cli
