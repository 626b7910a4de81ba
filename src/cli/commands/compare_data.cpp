#include <filesystem>

#include <plimsoll/documents/data_sets.hpp>
#include <plimsoll/lbdata/data_comparison.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "cli/commands.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using lbdata::DataComparison;
using lbdata::DataDifference;

struct CompareDataOptions {
  InputOptions input;
  double tolerance = 0;
  std::size_t max_differences = lbdata::DataComparisonOptions{}.max_differences;
  bool json = false;
};

constexpr const char* compare_data_examples =
    R"(  plimsoll compare-data data copy                     all files of two directories
  plimsoll compare-data data.0.json data.0.json.br    two files
  plimsoll compare-data run1 run2 --tolerance 1e-9    accept rounding errors
  plimsoll compare-data data copy && echo "equal"     use the exit status: 0 equal, 1 different)";

std::string shown_value(const std::optional<std::string>& value) {
  constexpr std::size_t max_bytes = 40;
  if (!value) return "absent";
  const std::string_view begin = support::utf8_prefix(*value, max_bytes);
  return std::string(begin) + (begin.size() < value->size() ? "..." : "");
}

std::string shown_phase(const DataDifference& difference) {
  if (!difference.phase) return "";
  return difference.iteration ? fmt::format("{}, iteration {}", *difference.phase, *difference.iteration)
                              : std::to_string(*difference.phase);
}

std::string text(const DataComparison& comparison, const Terminal& terminal) {
  if (comparison.equal())
    return fmt::format("{}: {} ({}, {}, {})\n", terminal.paint(Colour::green, "equal"),
                       count(comparison.files, "file"), count(comparison.phases, "phase record"),
                       count(comparison.tasks, "task"), count(comparison.communications, "edge"));
  std::string table = table_of<DataDifference>(
      comparison.differences,
      {{"file", Align::left,
        [](const auto& difference) { return std::filesystem::path(difference.file).filename().string(); }},
       {"phase", Align::right, shown_phase},
       {"object", Align::left, [](const auto& difference) { return difference.object; }},
       {"field", Align::left, [](const auto& difference) { return difference.field; }},
       {"first", Align::left, [](const auto& difference) { return shown_value(difference.first); }},
       {"second", Align::left, [](const auto& difference) { return shown_value(difference.second); }}});
  if (comparison.cut_off)
    table += "... more differences omitted; set a higher --max-differences to see them\n";
  return table + fmt::format("{}: {}{}\n", terminal.paint(Colour::red, "different"),
                             comparison.cut_off ? "at least " : "",
                             count(comparison.differences.size(), "difference"));
}

}  // namespace

Command define_compare_data(OptionParser& parser) {
  auto options = begin_command<CompareDataOptions>(parser, compare_data_examples);
  parser
      .add_option("PATH", options->input.paths,
                  "Two data sets, each of them a directory, DIR/BASE, a pattern with %p for the rank, or a "
                  "file")
      .required()
      .words(2, 2);
  add_reading_options(parser, options->input);
  parser.add_option("--tolerance T", options->tolerance,
                    "Relative tolerance of numbers with a fraction [default: 0]");
  parser
      .add_option("--max-differences N", options->max_differences,
                  "Number of differences after which to stop [default: 10]")
      .check(check_at_least_one);
  add_json_option(parser, options->json);
  return [options](Terminal& terminal) {
    TerminalProgress progress(terminal);
    const auto files_of = [](const std::string& path) {
      return lbdata::find_rank_files({path}, lbdata::check_for({path}));
    };
    const DataComparison comparison =
        lbdata::compare_data(files_of(options->input.paths.front()), files_of(options->input.paths.back()),
                             {.tolerance = options->tolerance,
                              .max_differences = options->max_differences,
                              .threads = options->input.threads,
                              .limits = options->input.limits,
                              .progress = &progress});
    progress.end();
    terminal.print(options->json ? documents::to_json(comparison) : fitted(text(comparison, terminal)));
    return comparison.equal() ? 0 : 1;
  };
}

}  // namespace plimsoll::cli
