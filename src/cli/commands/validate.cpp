#include <plimsoll/lbdata/validator.hpp>

#include "cli/commands.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

struct ValidateOptions {
  InputOptions input;
  std::vector<std::string> checks;
  bool schema_only = false;
  std::string schema = "current";
  std::size_t max_errors = lbdata::ValidateOptions{}.max_errors;
  bool json = false;
};

constexpr const char* validate_examples =
    R"(  plimsoll validate data                          all files of a directory
  plimsoll validate data --schema-only            check against the schema only, like other tools
  plimsoll validate data.3.json.br --max-errors 1
  plimsoll validate data --checks duplicate-task,dangling-reference)";

std::string json_text(const lbdata::ValidationReport& report) {
  return json_line([&](support::JsonWriter& json) {
    json.member("valid", report.valid())
        .member("errors", report.count(Severity::error))
        .member("warnings", report.count(Severity::warning))
        .member("cut_off", report.cut_off)
        .member("files", report.files)
        .member("phases", report.phases)
        .member("tasks", report.tasks)
        .member("communications", report.communications)
        .member("repair", if_any(report.repair_command));
    json.key("findings").begin_array();
    for (const Diagnostic& finding : report.findings) {
      json.begin_object()
          .member("severity", support::to_string(finding.severity))
          .member("check", finding.check)
          .member("what", finding.what)
          .member("file", finding.file);
      if (finding.byte) json.member("byte", *finding.byte);
      if (finding.line) json.member("line", *finding.line);
      if (finding.pointer) json.member("pointer", *finding.pointer);
      if (!finding.suggestion.empty()) json.member("suggestion", finding.suggestion);
      json.end_object();
    }
    json.end_array();
  });
}

// If the list of findings is cut off, it contains errors rather than warnings. More warnings may then exist,
// and more errors if it contains no warning.
std::string numbers_of_findings(const lbdata::ValidationReport& report) {
  const std::string errors = count(report.count(Severity::error), "error");
  const std::string warnings = count(report.count(Severity::warning), "warning");
  if (!report.cut_off) return fmt::format("{}, {}", errors, warnings);
  if (report.count(Severity::warning) == 0) return fmt::format("at least {}", errors);
  return fmt::format("{}, at least {}", errors, warnings);
}

// Prints the findings first, then the result, so that a long list does not scroll the result off the screen.
std::string text(const lbdata::ValidationReport& report, const Terminal& terminal) {
  std::string output;
  for (const Diagnostic& finding : report.findings) {
    const Colour colour = finding.severity == Severity::error     ? Colour::red
                          : finding.severity == Severity::warning ? Colour::yellow
                                                                  : Colour::bold;
    output += fmt::format("{} {}\n",
                          terminal.paint(colour, fmt::format("{}:", support::to_string(finding.severity))),
                          to_string(finding));
  }
  if (report.cut_off) output += "... more findings omitted; set a higher --max-errors to see them\n";
  output += report.valid() ? terminal.paint(Colour::green, "valid") : terminal.paint(Colour::red, "invalid");
  output += fmt::format(": {} in {} ({}, {}, {})\n", numbers_of_findings(report), count(report.files, "file"),
                        count(report.phases, "phase record"), count(report.tasks, "task"),
                        count(report.communications, "edge"));
  if (!report.repair_command.empty())
    output += fmt::format("To keep the complete phases of damaged files: {}\n", report.repair_command);
  return output;
}

std::string help_of_checks() {
  std::string help = "Checks to run in addition to the schema [default: all]:";
  for (const lbdata::CheckDescription& check : lbdata::checks()) {
    help += fmt::format("\n  {}: {}", check.name, check.help);
  }
  return help;
}

std::vector<std::string> names_of_checks() {
  std::vector<std::string> names;
  for (const lbdata::CheckDescription& check : lbdata::checks()) names.emplace_back(check.name);
  return names;
}

}  // namespace

Command define_validate(OptionParser& parser) {
  auto options = begin_command<ValidateOptions>(parser, validate_examples);
  add_input_options(parser, options->input);
  Option checks = parser.add_option("--checks LIST", options->checks, help_of_checks())
                      .suggests(names_of_checks())
                      .separated_by(',');
  parser.add_flag("--schema-only", options->schema_only, "Check only against the schema").excludes(checks);
  parser
      .add_option("--schema EDITION", options->schema,
                  "Edition of the schema: 2023 or current [default: current]")
      .one_of(support::names_of(lbdata::schema_versions));
  parser
      .add_option("--max-errors N", options->max_errors,
                  "Maximum number of findings to show, errors first [default: 100]")
      .check(check_at_least_one);
  add_json_option(parser, options->json);

  return [options, checks](Terminal& terminal) {
    TerminalProgress progress(terminal);
    lbdata::ValidateOptions settings{
        .schema = support::value_of(lbdata::schema_versions, options->schema, "edition of the schema"),
        .max_errors = options->max_errors,
        .ranks = options->input.expected_ranks > 0 ? lbdata::RankCheck::complete
                                                   : lbdata::check_for(options->input.paths),
        .expected_ranks = options->input.expected_ranks,
        .threads = options->input.threads,
        .limits = options->input.limits,
        .progress = &progress};
    if (options->schema_only || checks.is_given()) settings.checks = options->checks;
    const std::vector<std::string>& paths = options->input.paths;
    const lbdata::ValidationReport report =
        lbdata::validate(lbdata::find_rank_files(paths, lbdata::check_for(paths)), settings);
    progress.end();
    terminal.print(options->json ? json_text(report) : fitted(text(report, terminal)));
    return report.valid() ? 0 : 1;
  };
}

}  // namespace plimsoll::cli
