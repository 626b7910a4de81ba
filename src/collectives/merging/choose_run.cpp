#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>

#include <plimsoll/collectives/merge.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

namespace fs = std::filesystem;

/// Returns the time when the last log was written, such as "2026-11-21 17:15:03".
std::string time_of(const LoggedRun& run) {
  std::time_t latest = 0;
  for (const std::string& path : run.paths) {
    std::error_code code;
    const auto written = fs::last_write_time(path, code);
    if (!code)
      latest = std::max(latest, std::chrono::system_clock::to_time_t(
                                    std::chrono::time_point_cast<std::chrono::system_clock::duration>(
                                        std::chrono::file_clock::to_sys(written))));
  }
  std::tm local{};
  localtime_r(&latest, &local);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local)};
}

std::string list(const std::vector<LoggedRun>& runs) {
  std::vector<std::string> items;
  items.reserve(runs.size());
  for (const LoggedRun& run : runs)
    items.push_back(fmt::format("{} ({} {}, {})", run_name(run.run_id), support::format_count(run.world_size),
                                run.world_size == 1 ? "rank" : "ranks", time_of(run)));
  return fmt::format("{}", fmt::join(items, "; "));
}

}  // namespace

std::string run_name(std::uint64_t run_id) {
  return fmt::format("{:016x}", run_id);
}

LoggedRun choose_run(const std::string& folder, const std::string& id) {
  const std::vector<LoggedRun> runs = find_logs(folder);
  if (runs.empty())
    throw support::bad_input(
        "no rank logs in the directory", folder,
        "specify the directory of a profile; rank logs are named plimsoll-RUN.rankR.log");
  std::vector<LoggedRun> chosen;
  for (const LoggedRun& run : runs)
    if (run_name(run.run_id).starts_with(id) || fmt::format("{:x}", run.run_id).starts_with(id))
      chosen.push_back(run);
  if (chosen.size() == 1) return chosen.front();
  if (chosen.empty())
    throw support::usage_error(
        fmt::format("no logs of run {} in {}", support::in_quotes(id), support::in_quotes(folder)),
        "use one of these runs: " + list(runs));
  throw SeveralRunsError(support::usage_error(
      fmt::format("{} contains logs of {} runs: {}", support::in_quotes(folder), chosen.size(), list(chosen)),
      "specify one run by its ID"));
}

}  // namespace plimsoll::collectives
