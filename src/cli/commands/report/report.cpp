#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include <plimsoll/report/html_page.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/json_writer.hpp>
#include <plimsoll/support/output_file.hpp>
#include <plimsoll/support/printable.hpp>

#include "cli/commands.hpp"
#include "cli/commands/report/report_document.hpp"
#include "cli/options/input_options.hpp"
#include "cli/options/output_options.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::inline v0_1::cli {

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
  plimsoll report data --strategies all -o report.html what each strategy would change
  plimsoll report data plimsoll-profile -o report.html also a profile of collectives
  plimsoll layout solve *timing* --json > layout.json
      then: plimsoll report layout.json -o report.html)";

std::vector<std::string> command_line(const ReportOptions& options) {
  std::vector<std::string> words = command_line("report", options.data_sets);
  words.insert(words.end(), {"-o", options.output});
  return words;
}

}  // namespace

Command define_report(CLI::App& app) {
  auto options = std::make_shared<ReportOptions>();
  DataSetSectionOptions& data_sets = options->data_sets;
  app.footer(report_examples);
  add_report_options(app, data_sets);
  app.add_option("-o,--output", options->output, "The page to write")
      ->option_text("FILE")
      ->check(check_name)
      ->required();
  app.add_flag("--force", options->force, "Overwrite an existing file");
  add_json_option(app, options->json);

  return [options](Terminal& terminal) {
    resolve_strategies(options->data_sets);
    support::OutputFile file(options->output, {.overwrite = options->force, .keep_unfinished = false});
    std::uint64_t size_bytes = 0;
    report::write_html_page(report_document(options->data_sets, command_line(*options), terminal),
                            [&](std::string_view text) {
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
      terminal.print(fmt::format("Wrote {} ({}). Open it in a browser.\n",
                                 support::printable(options->output), support::format_bytes(size_bytes)));
    }
    return 0;
  };
}

}  // namespace plimsoll::cli
