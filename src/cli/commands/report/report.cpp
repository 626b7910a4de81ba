#include <plimsoll/report/html_page.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/output_file.hpp>

#include "cli/commands.hpp"
#include "cli/commands/report/report_document.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

struct ReportOptions {
  DataSetSectionOptions data_sets;
  std::string output;
  bool force = false;
  bool json = false;
};

constexpr const char* report_examples =
    R"(  plimsoll report data -o report.html                  one LB data set
  plimsoll report data balanced -o report.html         before and after balancing
  plimsoll report data --strategies all -o report.html   what each strategy would change
  plimsoll report data plimsoll-profile -o report.html   also a profile of collectives
  plimsoll layout solve *timing* --json > layout.json   then: plimsoll report layout.json -o report.html)";

std::vector<std::string> command_line(const ReportOptions& options) {
  std::vector<std::string> words = command_line("report", options.data_sets);
  words.insert(words.end(), {"-o", options.output});
  return words;
}

void print_page(const ReportOptions& options, Terminal& terminal) {
  report::write_html_page(report_document(options.data_sets, command_line(options), terminal),
                          [&](std::string_view text) { terminal.print(text); });
}

std::string write_page(const ReportOptions& options, Terminal& terminal) {
  check_output_file(options.output, options.force);
  support::OutputFile file(options.output, {.overwrite = options.force, .keep_unfinished = false});
  report::write_html_page(report_document(options.data_sets, command_line(options), terminal),
                          [&](std::string_view text) { file.write(text); });
  file.close();
  if (!options.json)
    return fmt::format("Wrote {} ({}). Open it in a browser.\n", support::printable(options.output),
                       support::format_bytes(file.file_bytes()));
  return json_line([&](support::JsonWriter& json) {
    json.member("output", options.output).member("bytes", file.file_bytes());
  });
}

}  // namespace

Command define_report(OptionParser& parser) {
  auto options = begin_command<ReportOptions>(parser, report_examples);
  DataSetSectionOptions& data_sets = options->data_sets;
  add_report_options(parser, data_sets);
  parser.add_option("-o,--output FILE", options->output, "The page to write; - is stdout")
      .check(check_name)
      .required();
  parser.add_flag("--force", options->force, "Overwrite an existing file");
  add_json_option(parser, options->json);

  return [options](Terminal& terminal) {
    resolve_strategies(options->data_sets);
    check_stdout(options->output, options->json);
    if (options->output == "-")
      print_page(*options, terminal);
    else
      terminal.print(write_page(*options, terminal));
    return 0;
  };
}

}  // namespace plimsoll::cli
