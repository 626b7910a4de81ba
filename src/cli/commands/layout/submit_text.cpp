#include "cli/commands/layout/submit_text.hpp"

#include <fmt/format.h>

#include <plimsoll/support/json_writer.hpp>

#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

using pelayout::CasePlan;
using pelayout::CasePreview;
using pelayout::CaseProgress;
using pelayout::CaseReport;
using pelayout::CaseState;

namespace {

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
  std::string output =
      fmt::format("# {}: {}\n", plan.name, intention(preview.progress, plan.commands.size()));
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
        .end_object();
  }
  json.end_array().end_object();
}

}  // namespace

std::string text(const std::vector<CasePreview>& previews) {
  std::string output;
  for (const CasePreview& preview : previews) output += case_text(preview);
  return output;
}

std::string json_text(const std::vector<CasePreview>& previews, const std::string& next) {
  std::string output;
  support::JsonWriter json(output);
  json.begin_object().key("cases").begin_array();
  for (const CasePreview& preview : previews) write(json, preview);
  json.end_array().member("next", next).end_object();
  return output + '\n';
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
  std::string output;
  support::JsonWriter json(output);
  json.begin_object().key("cases").begin_array();
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
      .member("next", next)
      .end_object();
  return output + '\n';
}

}  // namespace plimsoll::cli
