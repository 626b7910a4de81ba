#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include <plimsoll/pelayout/submission_run.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/text_file.hpp>

#include "cli/commands.hpp"
#include "cli/input_options.hpp"
#include "cli/layout/spellings.hpp"
#include "cli/layout/submit_text.hpp"
#include "cli/output_options.hpp"

namespace plimsoll::cli {

namespace {

namespace fs = std::filesystem;
using pelayout::CasePlan;
using pelayout::CaseReport;
using pelayout::CaseResult;

struct SubmitOptions {
  pelayout::SubmissionOptions submission;
  std::string pes_file;
  std::string extra_options_file;
  std::string case_root = ".";
  std::string cime_root;
  bool force_purge = false;
  bool dry_run = false;
  bool debug = false;
  bool verbose = false;
  bool silent = false;
  bool json = false;
};

constexpr const char* examples =
    R"(  plimsoll layout submit --compset B1850 --res f09_g17 --pesfile pes.xml --dry-run   show what would be run
  plimsoll layout submit --compset B1850 --res f09_g17 --pesfile pes.xml             make and submit the cases
  plimsoll layout submit --pesfile pes.xml --command_template './run.sh {case} {NTASKS_ATM}'   another model
  plimsoll layout solve --casename_prefix lbt_timing_run --total_tasks 1024          when the jobs have ended)";

bool is_for_cime(const SubmitOptions& options) {
  return !options.submission.command_template;
}

// Without a slash at its end, which would be doubled.
std::string absolute(const std::string& folder) {
  return (fs::absolute(folder).lexically_normal() / "").parent_path().string();
}

/// Folder of create_newcase.
std::string scripts_folder(const SubmitOptions& options) {
  std::string root = options.cime_root;
  for (const char* variable : {"CIMEROOT", "CIME_DIR"})
    if (const char* value = std::getenv(variable); root.empty() && value != nullptr) root = value;
  if (root.empty())
    throw support::usage_error("it is not said where CIME is",
                               "say --cime_dir DIR, or set CIMEROOT; create_newcase is in DIR/scripts");
  const std::string folder = absolute(root) + "/scripts";
  if (!options.dry_run && !fs::exists(folder + "/create_newcase"))
    throw support::usage_error("CIME's create_newcase is not in " + folder,
                               "say --cime_dir DIR of CIME itself");
  return folder;
}

void check(const SubmitOptions& options) {
  if (!is_for_cime(options)) {
    if (!options.extra_options_file.empty())
      throw support::usage_error(
          "--extra_options_file says what CIME is told, --command_template that it is not used",
          "write the options into the template");
    return;
  }
  for (const auto& [name, value] : {std::pair("--compset", options.submission.compset),
                                    std::pair("--res", options.submission.resolution)})
    if (value.empty())
      throw support::usage_error(std::string(name) + " is missing",
                                 "CIME needs it; for another model say --command_template");
}

std::vector<CasePlan> plan(SubmitOptions& options) {
  check(options);
  pelayout::SubmissionOptions& submission = options.submission;
  if (is_for_cime(options)) submission.scripts = scripts_folder(options);
  submission.case_root = absolute(options.case_root);
  if (!options.extra_options_file.empty())
    submission.extra_options = pelayout::parse_extra_options(
        support::read_text_file(options.extra_options_file), options.extra_options_file);
  return plan_submission(pelayout::read_pes_file(options.pes_file), submission);
}

/// How to go on when the jobs have ended.
std::string solve_command(const SubmitOptions& options) {
  std::string prefix = options.submission.casename_prefix;
  while (prefix.size() > 1 && prefix.ends_with('_')) prefix.pop_back();
  pelayout::Command command{{"plimsoll", "layout", "solve", "--casename_prefix", prefix}, ""};
  if (options.submission.case_root != absolute("."))
    command.arguments.insert(command.arguments.end(), {"--test_root", options.submission.case_root});
  return to_shell(command) + " --total_tasks N";
}

void say(const CaseReport& report, const Terminal& terminal) {
  const std::string because = report.text.empty() ? "" : ": " + report.text;
  switch (report.result) {
    case CaseResult::submitted:
      return terminal.show_note(fmt::format("{} submitted{}", report.name, because));
    case CaseResult::skipped: return terminal.show_note(fmt::format("{} skipped{}", report.name, because));
    case CaseResult::failed:
      return terminal.show_error(fmt::format("{} failed{}; see {}", report.name, because, report.log));
  }
}

/// Tells of what runs, on stderr.
pelayout::SubmissionRun run_of(const SubmitOptions& options, const Terminal& terminal) {
  pelayout::SubmissionRun run{.force_purge = options.force_purge};
  if (options.verbose || options.debug)
    run.on_command = [&](const CasePlan& plan, const pelayout::Command& command) {
      terminal.show_note(plan.name + ": " + to_shell(command));
    };
  if (options.debug)
    run.on_output = [](std::string_view part) { std::fwrite(part.data(), 1, part.size(), stderr); };
  run.on_case = [&, silent = options.silent](const CaseReport& report) {
    if (!silent || report.result == CaseResult::failed) say(report, terminal);
  };
  return run;
}

int submit(SubmitOptions& options, Terminal& terminal) {
  const std::vector<CasePlan> plans = plan(options);
  const std::string next = solve_command(options);
  if (options.dry_run) {
    std::vector<Preview> previews;
    for (const CasePlan& plan : plans) previews.push_back(preview(plan, options.force_purge));
    terminal.print(options.json ? json_text(previews, next) : text(previews));
    return 0;
  }
  const std::vector<CaseReport> reports = run_submission(plans, run_of(options, terminal));
  const Tally counts = tally(reports);
  if (options.json)
    terminal.print(json_text(plans, reports, next));
  else if (!options.silent)
    terminal.print(text(counts, next));
  return counts.failed == 0 ? 0 : static_cast<int>(ErrorKind::bad_input);
}

void add_text(CLI::App& app, const std::string& name, std::string& value, const char* what,
              const std::string& help) {
  app.add_option(name, value, help)->option_text(what)->check(check_name);
}

void add_text(CLI::App& app, const std::string& name, std::optional<std::string>& value, const char* what,
              const std::string& help) {
  app.add_option(name, value, help)->option_text(what)->check(check_name);
}

void add_case_options(CLI::App& app, SubmitOptions& options) {
  pelayout::SubmissionOptions& submission = options.submission;
  add_text(app, "--compset", submission.compset, "NAME", "Component set of the cases");
  add_text(app, "--res", submission.resolution, "NAME", "Grid of the cases");
  add_text(app, "--machine", submission.machine, "NAME", "Machine (what CIME finds itself)");
  add_text(app, "--project", submission.project, "NAME", "Project that pays for the jobs");
  add_text(app, "--compiler", submission.compiler, "NAME", "Compiler (the machine's)");
  add_text(app, "--mpilib", submission.mpilib, "NAME", "MPI library (the machine's)");
  add_text(app, both_spellings("--cime_dir") + ",--cimeroot", options.cime_root, "DIR",
           "CIME, with scripts/create_newcase ($CIMEROOT, $CIME_DIR)");
  add_text(app, both_spellings("--extra_options_file"), options.extra_options_file, "FILE",
           "Lines VARIABLE=VALUE for xmlchange");
  add_text(
      app, both_spellings("--command_template"), submission.command_template, "COMMAND",
      "Run this for each case instead of CIME's scripts, with {case}, {folder}, {pesize}, {NTASKS_ATM}, ...");
}

void add_run_options(CLI::App& app, SubmitOptions& options) {
  app.add_option("--pesfile", options.pes_file, "PE file (config_pes.xml); each pesize in it is a case")
      ->option_text("FILE")
      ->check(check_name)
      ->required();
  add_text(app, both_spellings("--casename_prefix,--test_id"), options.submission.casename_prefix, "PREFIX",
           "Cases are PREFIX_<pesize> (lbt_timing_run)");
  add_text(app, both_spellings("-r,--case_root,--test_root"), options.case_root, "DIR",
           "Folder in which cases are made (.)");
  app.add_flag(both_spellings("--force_purge"), options.force_purge,
               "Remove cases that are there, and begin anew");
  app.add_flag(both_spellings("--dry_run"), options.dry_run, "Show the commands, and touch nothing");
  app.add_flag("-v,--verbose", options.verbose, "Show each command when it runs");
  app.add_flag("-d,--debug", options.debug, "... and what it prints");
  app.add_flag("-s,--silent", options.silent, "Show only what fails")->excludes("--verbose", "--debug");
  add_json_option(app, options.json);
}

}  // namespace

Command define_layout_submit(CLI::App& app) {
  auto options = std::make_shared<SubmitOptions>();
  app.footer(examples);
  add_case_options(app, *options);
  add_run_options(app, *options);
  return [options](Terminal& terminal) { return submit(*options, terminal); };
}

}  // namespace plimsoll::cli
