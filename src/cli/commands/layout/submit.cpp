#include <cstdio>

#include <plimsoll/pelayout/submission.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "cli/commands.hpp"
#include "cli/commands/layout/layout_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using pelayout::CasePlan;
using pelayout::CasePreview;
using pelayout::CaseProgress;
using pelayout::CaseReport;
using pelayout::CaseResult;
using pelayout::CaseState;

struct SubmitOptions {
  pelayout::SubmissionOptions submission;
  std::string pes_file;
  std::string extra_options_file;
  std::string case_root = ".";
  std::string cime_root;
  bool force_purge = false;
  bool dry_run = false;
  bool graph_models = false;
  bool debug = false;
  bool verbose = false;
  bool silent = false;
  bool json = false;
};

constexpr const char* submit_examples =
    R"(  plimsoll layout submit --compset B1850 --res f09_g17 --pesfile pes.xml --dry-run   show the commands
  plimsoll layout submit --compset B1850 --res f09_g17 --pesfile pes.xml             submit the cases
  plimsoll layout submit --compset B1850 --res f09_g17 --pesfile pes.xml --walltime 00:30:00 --account climate
      as batch jobs
  plimsoll layout submit --pesfile pes.xml --command_template './run.sh {case} {NTASKS_ATM}'   another model
  plimsoll layout solve --casename_prefix lbt_timing_run --total_tasks 1024          after the jobs end)";

constexpr const char* how_to_purge = "use --force_purge to delete it and start over";

/// Describes whether a case would run, and with which command it would start.
std::string intention(const CaseProgress& progress, std::size_t commands) {
  switch (progress.state) {
    case CaseState::fresh: return "will be created";
    case CaseState::unfinished:
      return fmt::format("will resume after {} of {} commands", progress.commands_done, commands);
    case CaseState::submitted: return "already submitted";
    case CaseState::measured: return "already has a timing file";
    case CaseState::blocked: return fmt::format("cannot be created: {}; {}", progress.remark, how_to_purge);
  }
  return {};
}

std::string case_text(const CasePreview& preview) {
  const CasePlan& plan = *preview.plan;
  std::string output = fmt::format("# {}: {}\n", support::printable(plan.name),
                                   intention(preview.progress, plan.commands.size()));
  if (preview.purges)
    output += pelayout::to_shell({{"rm", "-rf", plan.folder, state_path(plan), log_path(plan)}, ""}) + "\n";
  for (std::size_t i = preview.first_command(); i < plan.commands.size(); ++i)
    output += pelayout::to_shell(plan.commands[i]) + "\n";
  return output;
}

void write(support::JsonWriter& json, const CasePreview& preview) {
  json.begin_object()
      .member("name", preview.plan->name)
      .member("pesize", preview.plan->pesize)
      .member("folder", preview.plan->folder)
      .member("state", to_string(preview.progress.state))
      .member("text", preview.progress.remark)
      .member("purge", preview.purges);
  json.key("commands").begin_array();
  for (std::size_t i = preview.first_command(); i < preview.plan->commands.size(); ++i) {
    json.begin_object()
        .member("folder", preview.plan->commands[i].folder)
        .key("arguments")
        .values(preview.plan->commands[i].arguments)
        .member("may_fail", preview.plan->commands[i].may_fail)
        .end_object();
  }
  json.end_array().end_object();
}

std::string text(const std::vector<CasePreview>& previews) {
  std::string output;
  for (const CasePreview& preview : previews) output += case_text(preview);
  return output;
}

/// Formats the cases as JSON. `next` is the command to run when the jobs have ended.
std::string json_text(const std::vector<CasePreview>& previews, const std::string& next) {
  return json_line([&](support::JsonWriter& json) {
    json.key("cases").begin_array();
    for (const CasePreview& preview : previews) write(json, preview);
    json.end_array().member("next", next);
  });
}

std::string text(const pelayout::CaseTally& counts, const std::string& next) {
  std::string output = fmt::format("{} submitted, {} skipped, {} failed\n", count(counts.submitted, "case"),
                                   counts.skipped, counts.failed);
  if (counts.failed > counts.blocked) output += "Run the same command again to resume failed cases.\n";
  if (counts.submitted + counts.skipped == 0) return output;
  return output + "After the jobs have ended, find the best layout with:\n  " + next + "\n";
}

std::string json_text(const std::vector<CasePlan>& plans, const std::vector<CaseReport>& reports,
                      const std::string& next) {
  return json_line([&](support::JsonWriter& json) {
    json.key("cases").begin_array();
    for (std::size_t i = 0; i < reports.size(); ++i)
      json.begin_object()
          .member("name", reports[i].name)
          .member("pesize", plans[i].pesize)
          .member("folder", plans[i].folder)
          .member("result", to_string(reports[i].result))
          .member("text", reports[i].text)
          .member("log", reports[i].log)
          .end_object();
    const pelayout::CaseTally counts = tally(reports);
    json.end_array()
        .member("submitted", counts.submitted)
        .member("skipped", counts.skipped)
        .member("failed", counts.failed)
        .member("next", next);
  });
}

bool is_for_cime(const SubmitOptions& options) {
  return !options.submission.command_template;
}

void check(const SubmitOptions& options) {
  using pelayout::SettingsProblem;
  const auto problem = settings_problem(options.submission, !options.extra_options_file.empty());
  if (!problem) return;
  const char* const hint = "set it for CIME, or use --command_template for another model";
  switch (*problem) {
    case SettingsProblem::missing_compset: throw support::usage_error("missing --compset", hint);
    case SettingsProblem::missing_resolution: throw support::usage_error("missing --res", hint);
    case SettingsProblem::extra_options_with_template:
      throw support::usage_error(
          "--extra_options_file cannot be combined with --command_template, which does not use CIME",
          "set the options in the template");
    case SettingsProblem::batch_options_with_template:
      throw support::usage_error(
          "--walltime, --queue and --account cannot be combined with --command_template, which does not use "
          "CIME",
          "set them in the template");
  }
}

std::vector<CasePlan> plan(SubmitOptions& options, const Terminal& terminal) {
  check(options);
  pelayout::SubmissionOptions& submission = options.submission;
  if (is_for_cime(options))
    submission.scripts = with_option(
        "--cime_dir", [&] { return pelayout::cime_scripts_folder(options.cime_root, !options.dry_run); });
  submission.case_root = pelayout::absolute_folder(options.case_root);
  if (!options.extra_options_file.empty())
    submission.extra_options = pelayout::parse_extra_options(
        support::read_text_file(options.extra_options_file), options.extra_options_file);
  const pelayout::PesFile pes = pelayout::read_pes_file(options.pes_file);
  std::vector<CasePlan> plans = plan_submission(pes, submission);
  if (const std::string remark = unmatched_entries(pes, submission); !remark.empty() && !options.silent)
    terminal.show_note(remark);
  return plans;
}

std::string solve_command(const SubmitOptions& options) {
  std::string prefix = options.submission.casename_prefix;
  while (prefix.size() > 1 && prefix.ends_with('_')) prefix.pop_back();
  pelayout::Command command{{"plimsoll", "layout", "solve", "--casename_prefix", prefix}, ""};
  if (options.submission.case_root != pelayout::absolute_folder("."))
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
      return terminal.show_error(report.blocked
                                     ? fmt::format("{} failed{}; {}", report.name, because, how_to_purge)
                                     : fmt::format("{} failed{}; see {}", report.name, because, report.log));
  }
}

pelayout::SubmissionRun run_of(const SubmitOptions& options, const Terminal& terminal) {
  pelayout::SubmissionRun run{.force_purge = options.force_purge};
  if (options.verbose || options.debug)
    run.on_command = [&](const CasePlan& plan, const pelayout::Command& command) {
      terminal.show_note(plan.name + ": " + to_shell(command));
    };
  if (options.debug) run.on_output = [&](std::string_view part) { terminal.show_output(part); };
  run.on_case = [&, silent = options.silent](const CaseReport& report) {
    if (!silent || report.result == CaseResult::failed) say(report, terminal);
  };
  return run;
}

/// Draws the measurements in the cases' timing files. Missing timing files are not an error.
void graph_models(const pelayout::SubmissionOptions& submission, Terminal& terminal) {
  try {
    std::vector<Diagnostic> warnings;
    const pelayout::Problem problem = pelayout::load_problem(
        {.search = {.casename_prefixes = {submission.casename_prefix}, .root = submission.case_root}},
        warnings);
    terminal.show_warnings(warnings);
    const std::int64_t total = problem.max_tasks();
    terminal.print(model_graphs(problem, make_component_models(problem, pelayout::ModelKind::fit, total),
                                total, terminal));
  } catch (const Error& error) {
    terminal.show_note(std::string("cannot draw models: ") + error.what());
  }
}

void show_dry_run(const SubmitOptions& options, const std::vector<CasePlan>& plans, const std::string& next,
                  Terminal& terminal) {
  std::vector<pelayout::CasePreview> previews;
  previews.reserve(plans.size());
  for (const CasePlan& plan : plans) previews.push_back(preview_case(plan, options.force_purge));
  terminal.print(options.json ? json_text(previews, next) : text(previews));
}

int run(const SubmitOptions& options, const std::vector<CasePlan>& plans, const std::string& next,
        Terminal& terminal) {
  const std::vector<CaseReport> reports = run_submission(plans, run_of(options, terminal));
  const pelayout::CaseTally counts = tally(reports);
  if (options.json)
    terminal.print(json_text(plans, reports, next));
  else if (!options.silent)
    terminal.print(fitted(text(counts, next)));
  return counts.failed == 0 ? 0 : static_cast<int>(ErrorKind::bad_input);
}

int submit(SubmitOptions& options, Terminal& terminal) {
  const std::vector<CasePlan> plans = plan(options, terminal);
  const std::string next = solve_command(options);
  int status = 0;
  if (options.dry_run)
    show_dry_run(options, plans, next, terminal);
  else
    status = run(options, plans, next, terminal);
  if (options.graph_models) graph_models(options.submission, terminal);
  return status;
}

void add_case_options(OptionParser& parser, SubmitOptions& options) {
  parser.begin_group("Cases");
  add_text_option(parser, "--pesfile FILE", options.pes_file, "PE file (config_pes.xml); one case per pesize")
      .required();
  parser
      .add_option("--pesize NAME", options.submission.sizes,
                  "Size to run; may be repeated [default: all whose entries match the run]")
      .check(check_name)
      .one_word_each();
  add_text_option(parser, "--casename_prefix,--test_id PREFIX", options.submission.casename_prefix,
                  "Prefix of the case names PREFIX_<pesize> [default: lbt_timing_run]");
  add_text_option(parser, "-r,--case_root,--test_root DIR", options.case_root,
                  "Directory in which to create the cases [default: .]");
  add_text_option(
      parser, "--command_template COMMAND", options.submission.command_template,
      "For other models: command per case, which may contain {case}, {folder}, {pesize}, {NTASKS_ATM}, ...");
}

void add_cime_options(OptionParser& parser, SubmitOptions& options) {
  parser.begin_group("CIME");
  pelayout::SubmissionOptions& submission = options.submission;
  add_text_option(parser, "--compset NAME", submission.compset, "Component set of the cases");
  add_text_option(parser, "--res NAME", submission.resolution, "Grid of the cases");
  parser.add_flag("--run_unsupported", submission.run_unsupported,
                  "Allow combinations that CESM has not tested");
  add_text_option(parser, "--machine NAME", submission.machine, "Machine [default: detected by CIME]");
  add_text_option(parser, "--project NAME", submission.project, "Project to charge for the jobs");
  add_text_option(parser, "--account NAME", submission.account, "Account to charge [default: the project]");
  add_text_option(parser, "--walltime TIME", submission.walltime, "Wall time of the runs, such as 00:30:00");
  add_text_option(parser, "--queue NAME", submission.queue, "Batch queue of the runs");
  add_text_option(parser, "--compiler NAME", submission.compiler, "Compiler [default: set by the machine]");
  add_text_option(parser, "--mpilib NAME", submission.mpilib, "MPI library [default: set by the machine]");
  add_text_option(parser, "--cime_dir,--cimeroot DIR", options.cime_root,
                  "CIME directory that contains scripts/create_newcase [default: $CIMEROOT, $CIME_DIR]");
  add_text_option(parser, "--extra_options_file FILE", options.extra_options_file,
                  "File of VARIABLE=VALUE lines for xmlchange");
  parser.add_flag("--separate_builds", submission.separate_builds,
                  "Build every case, instead of one for all cases that can share it");
}

void add_run_options(OptionParser& parser, SubmitOptions& options) {
  parser.begin_group("Run");
  parser.add_flag("--dry_run", options.dry_run, "Print the commands without running them");
  parser.add_flag("--force_purge", options.force_purge, "Delete existing cases and start over");
  parser.add_flag("--trust_pesfile", options.submission.trusts_pes_file,
                  "Accept values in the PE file that programs may interpret as options or commands");
  Option graphs =
      parser.add_flag("--graph_models", options.graph_models, "Draw models of the available timing files");
  const Option verbose =
      parser.add_flag("-v,--verbose", options.verbose, "Print each command before it runs");
  const Option debug = parser.add_flag("-d,--debug", options.debug, "Print each command and its output");
  parser.add_flag("-s,--silent", options.silent, "Print only failures").excludes(verbose).excludes(debug);
  add_json_option(parser, options.json);
  graphs.excludes(parser.option("--json"));
}

}  // namespace

Command define_layout_submit(OptionParser& parser) {
  auto options = begin_command<SubmitOptions>(parser, submit_examples);
  add_case_options(parser, *options);
  add_cime_options(parser, *options);
  add_run_options(parser, *options);
  return [options](Terminal& terminal) { return submit(*options, terminal); };
}

}  // namespace plimsoll::cli
