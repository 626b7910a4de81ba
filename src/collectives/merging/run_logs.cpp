#include "collectives/merging/run_logs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include <plimsoll/support/error.hpp>

#include "collectives/merging/log_reader.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

std::string run_names(const std::set<std::uint64_t>& ids) {
  std::string names;
  for (const std::uint64_t id : ids) names += fmt::format("{}{:016x}", names.empty() ? "" : ", ", id);
  return names;
}

/// Keeps the logs of one run, one per rank, sorted by rank.
void keep_one_run(std::vector<RankLog>& logs, std::vector<Diagnostic>& findings) {
  std::set<std::uint64_t> runs;
  for (const RankLog& log : logs) runs.insert(log.run_id);
  if (runs.size() > 1) {
    throw support::bad_input(fmt::format("logs of {} runs: {}", runs.size(), run_names(runs)), {},
                             "use the logs of one run at a time");
  }
  std::ranges::stable_sort(logs, {}, &RankLog::world_rank);
  std::vector<RankLog> kept;
  for (RankLog& log : logs) {
    const bool again = !kept.empty() && kept.back().world_rank == log.world_rank;
    if (again || (!kept.empty() && kept.front().world_size != log.world_size)) {
      Diagnostic finding;
      finding.severity = Severity::warning;
      finding.check = "merge";
      finding.what = again ? fmt::format("duplicate log of rank {}; skipped", log.world_rank)
                           : fmt::format("log of a run on {} ranks among logs of a run on {} ranks; skipped",
                                         log.world_size, kept.front().world_size);
      finding.file = log.content.name;
      findings.push_back(std::move(finding));
    } else {
      kept.push_back(std::move(log));
    }
  }
  logs = std::move(kept);
}

}  // namespace

std::vector<RankLog> read_logs_of_run(std::span<const LogContent> contents, const MergeLimits& limits,
                                      std::vector<Diagnostic>& findings, support::Progress& progress) {
  std::vector<RankLog> logs;
  progress.begin("reading logs", contents.size(), "logs");
  for (const LogContent& content : contents) {
    try {
      logs.push_back(read_log(content, limits));
    } catch (const Error& error) {
      findings.push_back(error.diagnostic());
      findings.back().severity = Severity::warning;
    }
    progress.advance(1);
  }
  progress.end();
  if (logs.empty()) {
    if (findings.empty()) throw support::bad_input("no logs to merge");
    findings.front().severity = Severity::error;
    throw Error(ErrorKind::bad_input, findings.front());
  }
  keep_one_run(logs, findings);
  return logs;
}

}  // namespace plimsoll::collectives
