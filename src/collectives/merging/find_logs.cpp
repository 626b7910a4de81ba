#include <fcntl.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <ctime>
#include <fstream>

#include <plimsoll/collectives/merge.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "collectives/merging/log_reader.hpp"
#include "collectives/recording/mapped_log.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

namespace fs = std::filesystem;

std::vector<char> content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : -1;
  if (size < 0) throw support::system_error("cannot read the log", path, errno);
  std::vector<char> bytes(static_cast<std::size_t>(size));
  file.seekg(0);
  file.read(bytes.data(), size);
  if (file.bad()) throw support::system_error("cannot read the log", path, errno);
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

struct FoundRun {
  LoggedRun run;
  std::map<std::pair<std::uint32_t, std::string>, std::string> paths;  // keyed by rank and path
  fs::file_time_type time = fs::file_time_type::min();
};

}  // namespace

std::vector<LoggedRun> find_logs(const std::string& folder) {
  std::map<std::uint64_t, FoundRun> found;
  support::for_each_entry(folder, [&](const fs::directory_entry& entry) {
    const auto header = log_header_of(entry);
    if (!header) return;
    std::error_code unknown;
    FoundRun& run = found[header->run_id];
    run.run.run_id = header->run_id;
    run.run.job = header->job;
    run.run.world_size = header->world_size;
    run.paths[{header->world_rank, entry.path().string()}] = entry.path().string();
    run.time = std::max(run.time, entry.last_write_time(unknown));
  });
  std::vector<FoundRun> by_time;
  for (auto& [id, run] : found) {
    for (auto& [rank, path] : run.paths) run.run.paths.push_back(path);
    by_time.push_back(std::move(run));
  }
  std::ranges::stable_sort(by_time, {}, &FoundRun::time);
  std::vector<LoggedRun> runs;
  runs.reserve(by_time.size());
  for (FoundRun& run : by_time) runs.push_back(std::move(run.run));
  return runs;
}

MergeResult merge_files(const LoggedRun& run, support::Progress& progress) {
  const RunWriters writers = writers_of(run);
  std::vector<std::vector<char>> bytes;
  for (const std::string& path : run.paths) bytes.push_back(content_of(path));
  std::vector<LogContent> contents;
  for (std::size_t k = 0; k < bytes.size(); ++k) contents.push_back({bytes[k], run.paths[k]});
  MergeResult result = merge(contents, progress);
  if (!writers.text.empty())
    result.findings.insert(
        result.findings.begin(),
        {.what = writers.text, .suggestion = "wait for the program to end, then merge the logs again"});
  return result;
}

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
