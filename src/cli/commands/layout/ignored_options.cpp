#include "cli/commands/layout/ignored_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

std::vector<std::string> timing_options(const OptionParser& parser) {
  std::vector<std::string> given;
  for (const char* name : {"FILES", "--timing_dir", "--timing_files", "--casename_prefix", "--test_id",
                           "--test_root", "--combine", "--threads", "--mix"})
    if (parser.option(name).is_given()) given.emplace_back(name);
  if (!parser.option("--check").is_given())  // otherwise, they describe the run of --check
    for (const char* name : {"--steps_per_day", "--run_days", "--measured_tasks"})
      if (parser.option(name).is_given()) given.emplace_back(name);
  return given;
}

void add_warning(std::string what, std::string suggestion, std::vector<Diagnostic>& warnings) {
  warnings.push_back(
      {.severity = support::Severity::warning, .what = std::move(what), .suggestion = std::move(suggestion)});
}

/// Suggests the component or the file that an unused number of tasks may mean.
std::string what_is_meant(const pelayout::MeasuredTasks& unused, std::span<const pelayout::TimingFile> runs) {
  std::vector<std::string> components;
  std::vector<std::string> files;  // that contain the component
  for (const pelayout::TimingFile& run : runs) {
    if (run.coupler != pelayout::Coupler::oasis) continue;
    for (const pelayout::ComponentTiming& timing : run.components) components.push_back(timing.component);
    if (run.find(unused.component) != nullptr) files.push_back(run.path);
  }
  return files.empty() ? support::did_you_mean(unused.component, components)
                       : fmt::format("use the end of a path: {}", fmt::join(files, ", "));
}

/// Warns of numbers in --measured_tasks that apply to none of the runs.
void warn_of_unused_tasks(const pelayout::RunFacts& facts, std::span<const pelayout::TimingFile> runs,
                          std::vector<Diagnostic>& warnings) {
  for (const pelayout::MeasuredTasks& unused : pelayout::unused_tasks(facts, runs))
    add_warning(fmt::format("--measured_tasks {}{}{}={} has no effect: no file of OASIS{} contains measured "
                            "times of {}",
                            unused.file, unused.file.empty() ? "" : ":", unused.component, unused.tasks,
                            unused.file.empty() ? "" : " with this name", unused.component),
                what_is_meant(unused, runs), warnings);
}

/// Warns of --run_days and --steps_per_day if all runs have known lengths, or no steps to convert.
void warn_of_unused_length(const pelayout::RunFacts& facts, std::span<const pelayout::TimingFile> runs,
                           std::vector<Diagnostic>& warnings) {
  const auto no_run = [&](const auto& uses) { return std::ranges::none_of(runs, uses); };
  if (facts.run_days && no_run([](const auto& run) { return run.is_from_statistics; }))
    add_warning("--run_days has no effect: the timing files contain the model days", "", warnings);
  if (!facts.steps_per_day) return;
  if (facts.run_days)
    add_warning("--steps_per_day has no effect: --run_days specifies the length of the runs", "", warnings);
  else if (no_run([](const auto& run) { return run.is_from_statistics && run.steps; }))
    add_warning(
        "--steps_per_day has no effect: the timing files contain the model days, or no coupling steps", "",
        warnings);
}

/// Warns of options that only change what others do, which are missing.
void warn_of_lonely_options(const SolveOptions& options, const OptionParser& parser,
                            std::vector<Diagnostic>& warnings) {
  const bool writes_pes = !options.pe_output.empty() || !options.next_runs.value_or("").empty();
  if (options.pe_nodes && !writes_pes)
    add_warning("--pe_nodes has no effect: no PE file is written", "use --pe_output FILE", warnings);
  const pelayout::TimingSearch& search = options.search;
  const bool specifies_files = !options.files.empty() || !search.files.empty() || !search.folders.empty();
  const bool searches_cases = !search.casename_prefixes.empty() || !search.test_ids.empty();
  if (options.json_input.empty() && parser.option("--test_root").is_given() && specifies_files &&
      !searches_cases)
    add_warning("--test_root has no effect: no cases are searched", "use --casename_prefix or --test_id",
                warnings);
}

}  // namespace

void warn_of_ignored_options(const SolveOptions& options, const OptionParser& parser,
                             std::vector<Diagnostic>& warnings) {
  warn_of_lonely_options(options, parser, warnings);
  const std::vector<std::string> ignored = timing_options(parser);
  if (options.json_input.empty() || ignored.empty()) return;
  warnings.push_back({.severity = support::Severity::warning,
                      .what = fmt::format("{} {} ignored: the data come from {}", fmt::join(ignored, ", "),
                                          ignored.size() > 1 ? "are" : "is", options.json_input)});
}

void warn_of_unused_facts(const SolveOptions& options, std::vector<pelayout::TimingFile> runs,
                          std::vector<Diagnostic>& warnings) {
  const pelayout::RunFacts facts = facts_of(options);
  if (!facts.run_days && !facts.steps_per_day && facts.tasks.empty()) return;
  if (!options.check.empty()) runs.push_back(pelayout::read_timing_file(options.check, facts));
  if (runs.empty()) return;  // the data come from a file of a problem, see warn_of_ignored_options()
  warn_of_unused_tasks(facts, runs, warnings);
  warn_of_unused_length(facts, runs, warnings);
}

}  // namespace plimsoll::cli
