#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <fstream>
#include <regex>
#include <set>

#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/process.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/internal/uninterrupted.hpp>

#include "collectives/merging/log_reader.hpp"
#include "collectives/merging/sums_reader.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace fs = std::filesystem;

namespace {

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

/// Returns the time when the last log was written, such as "2026-11-21 17:15:03".
std::string time_of(const LoggedRun& run) {
  const std::time_t written = std::chrono::system_clock::to_time_t(run.written);
  std::tm local{};
  localtime_r(&written, &local);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local)};
}

std::string ranks_of(const LoggedRun& run) {
  if (run.world_size == 0) return "damaged files";
  return support::format_count(run.world_size) + (run.world_size == 1 ? " rank" : " ranks");
}

std::string list(const std::vector<LoggedRun>& runs) {
  std::vector<std::string> items;
  items.reserve(runs.size());
  for (const LoggedRun& run : runs)
    items.push_back(fmt::format("{} ({}, {})", run_name(run.run_id), ranks_of(run), time_of(run)));
  return fmt::format("{}", fmt::join(items, "; "));
}

void keep_one_run(std::vector<RankLog>& logs, std::vector<Diagnostic>& findings) {
  std::set<std::string> runs;
  for (const RankLog& log : logs) runs.insert(run_name(log.run_id));
  if (runs.size() > 1) {
    throw support::bad_input(fmt::format("logs of {} runs: {}", runs.size(), fmt::join(runs, ", ")), {},
                             "use the logs of one run at a time");
  }
  std::ranges::stable_sort(logs, {}, &RankLog::world_rank);
  std::vector<RankLog> kept;
  for (RankLog& log : logs) {
    const bool again = !kept.empty() && kept.back().world_rank == log.world_rank;
    if (again || (!kept.empty() && kept.front().world_size != log.world_size)) {
      findings.push_back(
          {.severity = Severity::warning,
           .check = "merge",
           .what = again ? fmt::format("duplicate log of rank {}; skipped", log.world_rank)
                         : fmt::format("log of a run on {} ranks among logs of a run on {} ranks; skipped",
                                       log.world_size, kept.front().world_size),
           .file = log.content.name});
    } else {
      kept.push_back(std::move(log));
    }
  }
  logs = std::move(kept);
}

/// State of a log: whether its process is still writing it.
enum class Writing { no, perhaps, certainly };

struct Writer {
  Writing writing = Writing::no;
  std::uint32_t world_rank = 0;
  std::uint64_t process = 0;
  std::string host;
};

/// Returns whether the log ends with its writer's final record.
bool is_finished(int file, std::uint64_t bytes) {
  constexpr std::uint64_t checksum = 1;
  constexpr std::uint64_t size =
      sizeof(rank_log::FinishedRecord) + (Operation::count + checksum) * sizeof(std::uint64_t);
  rank_log::RecordHeader header{};
  return bytes >= size &&
         ::pread(file, &header, sizeof header, static_cast<off_t>(bytes - size)) == sizeof header &&
         header.kind == rank_log::Kind::finished && header.bytes == size;
}

Writing is_written(int file, const Writer& writer, bool has_end) {
  const bool locked = support::uninterrupted([&] { return ::flock(file, LOCK_SH | LOCK_NB); }) == 0;
  if (!locked && errno == EWOULDBLOCK) return Writing::certainly;
  const bool is_own_host = writer.host == support::host_name();
  if (locked && is_own_host) return Writing::no;
  // Locks are not supported here, or the writer's host may not see them. The age of the log proves nothing,
  // because a running process may not write to it for hours.
  struct stat status {};
  if (::fstat(file, &status) != 0) return Writing::no;
  if (has_end && is_finished(file, static_cast<std::uint64_t>(status.st_size))) return Writing::no;
  if (!is_own_host) return Writing::perhaps;
  const bool is_alive = ::kill(static_cast<pid_t>(writer.process), 0) == 0 || errno == EPERM;
  return is_alive ? Writing::perhaps : Writing::no;
}

Writer writer_of(const std::string& path) {
  Writer writer;
  const support::Descriptor file = support::open_file(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  std::array<char, std::max(sizeof(rank_log::RankRecord) + 256, sums_header_bytes)> bytes{};
  const ssize_t size = file.is_open() ? ::pread(file.number(), bytes.data(), bytes.size(), 0) : 0;
  const std::string_view beginning(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  const auto log = read_log_header(beginning);
  if (log) {
    writer.world_rank = log->world_rank;
    writer.process = log->pid;
    writer.host = beginning.substr(sizeof(rank_log::RankRecord), log->host_bytes);
  } else if (const auto sums = read_sums_header(beginning)) {
    writer.world_rank = sums->world_rank;
    writer.process = sums->pid;
    writer.host = sums->host;
  } else {
    return writer;
  }
  writer.writing = is_written(file.number(), writer, log.has_value());
  return writer;
}

/// A run, with the files of its ranks in the order of the ranks.
struct FoundRun {
  LoggedRun run;
  std::set<std::pair<std::uint32_t, std::string>> logs;
  std::set<std::pair<std::uint32_t, std::string>> sums;
};

/// What the name of a rank's file tells.
struct RankFileName {
  std::uint64_t run_id;
  std::uint32_t rank;
  bool is_log;
};

/// Parses a name such as "plimsoll-1f.rank3.log" or "plimsoll-1f.rank3.calls"; nothing for other names.
std::optional<RankFileName> parse_rank_file(const std::string& name) {
  static const std::regex pattern(R"(plimsoll-([0-9a-f]{1,16})\.rank(\d{1,9})\.(log|calls))");
  std::smatch parts;
  if (!std::regex_match(name, parts, pattern)) return std::nullopt;
  return RankFileName{std::stoull(parts[1], nullptr, 16), static_cast<std::uint32_t>(std::stoul(parts[2])),
                      parts[3] == "log"};
}

}  // namespace

std::vector<LoggedRun> find_logs(const std::string& folder) {
  std::map<std::uint64_t, FoundRun> found;
  support::for_each_entry(folder, [&](const support::FolderEntry& entry) {
    const auto log = log_header_of(entry.path());
    const auto sums = log ? std::nullopt : sums_header_of(entry.path());
    auto name = parse_rank_file(entry.path().filename().string());
    if (log) name = {log->run_id, log->world_rank, true};
    if (sums) name = {sums->run_id, sums->world_rank, false};
    if (!name) return;  // a file of another kind; merging reports files that are damaged at their start
    auto& [run, logs, sums_of_ranks] = found[name->run_id];
    run.run_id = name->run_id;
    if (log || sums) {
      run.job = log ? log->job : sums->job;
      run.world_size = log ? log->world_size : sums->world_size;
    }
    (name->is_log ? logs : sums_of_ranks).emplace(name->rank, entry.path().string());
    std::error_code unknown;
    const fs::file_time_type written = fs::last_write_time(entry.path(), unknown);
    if (!unknown)
      run.written = std::max(run.written, std::chrono::time_point_cast<std::chrono::system_clock::duration>(
                                              std::chrono::file_clock::to_sys(written)));
  });
  std::vector<LoggedRun> runs;
  for (auto& [id, of_run] : found) {
    for (const auto& [rank, path] : of_run.logs) of_run.run.paths.push_back(path);
    for (const auto& [rank, path] : of_run.sums) of_run.run.mpi_paths.push_back(path);
    runs.push_back(std::move(of_run.run));
  }
  std::ranges::stable_sort(runs, {}, &LoggedRun::written);
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

std::string run_name(std::uint64_t run_id) {
  return fmt::format("{:016x}", run_id);
}

LoggedRun choose_run(const std::string& folder, const std::string& id) {
  const std::vector<LoggedRun> runs = find_logs(folder);
  if (runs.empty())
    throw support::bad_input("neither rank logs nor files of MPI calls of ranks in the directory", folder,
                             "specify the directory of a profile with files such as plimsoll-RUN.rankR.log "
                             "or plimsoll-RUN.rankR.calls");
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

RunWriters writers_of(const LoggedRun& run) {
  RunWriters writers;
  std::optional<Writer> first;
  std::set<std::uint32_t> ranks;
  for (const auto* const paths : {&run.paths, &run.mpi_paths})
    for (const std::string& path : *paths) {
      const Writer writer = writer_of(path);
      if (writer.writing == Writing::no) continue;
      writers.certain = writers.certain || writer.writing == Writing::certainly;
      ranks.insert(writer.world_rank);
      if (!first) first = writer;
    }
  if (!first) return writers;
  const std::size_t others = ranks.size() - 1;
  writers.text = fmt::format("the logs of run {} {} written by rank {} (process {} on {})",
                             run_name(run.run_id), writers.certain ? "are being" : "may still be",
                             first->world_rank, first->process, support::printable(first->host));
  if (others > 0) writers.text += fmt::format(" and {} other rank{}", others, others == 1 ? "" : "s");
  return writers;
}

void check_removal(const LoggedRun& run, bool although_perhaps_written) {
  const RunWriters writers = writers_of(run);
  if (!writers.text.empty() && (writers.certain || !although_perhaps_written))
    throw LogsInUseError(support::usage_error(writers.text, "remove them after the program has ended"),
                         writers.certain);
}

void remove_logs(const LoggedRun& run, bool although_perhaps_written) {
  check_removal(run, although_perhaps_written);
  for (const auto* const paths : {&run.paths, &run.mpi_paths})
    for (const std::string& path : *paths) {
      std::error_code code;
      if (!std::filesystem::remove(path, code) && code)
        throw support::system_error("cannot remove the log", path, code.value());
    }
}

}  // namespace plimsoll::collectives
