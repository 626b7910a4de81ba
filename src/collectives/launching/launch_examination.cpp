#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <set>

#include <plimsoll/collectives/launch_examination.hpp>
#include <plimsoll/support/internal/process.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "collectives/launching/launch_steps.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

using support::Examination;
using support::Verdict;
using Words = std::vector<std::string>;

constexpr std::size_t default_ranks = 2;
constexpr const char* profiler = "libplimsoll-";
constexpr const char* processors = "Cpus_allowed_list:";

/// Program that prints, in each rank, a line for the preloaded library, if it is loaded, one for the
/// processors of the rank and one for the host. Every system has it, and it does not use MPI.
const Words rank_report = {"grep",
                           "-h",
                           "-m1",
                           "-e",
                           profiler,
                           "-e",
                           processors,
                           "-e",
                           "^[0-9a-f]\\{8\\}-[0-9a-f-]\\{27\\}$",
                           "/proc/self/maps",
                           "/proc/self/status",
                           "/proc/sys/kernel/random/boot_id"};

/// What the ranks reported.
struct RankReports {
  std::size_t ranks = 0;
  std::size_t reached = 0;  ///< ranks into which the profiler was loaded
  std::set<std::string> hosts;
  std::vector<std::set<int>> processors;  ///< of each rank
};

/// Returns the processors in a list such as "0-3,8".
std::set<int> processors_in(std::string_view list) {
  std::set<int> numbers;
  for (const std::string_view part : support::split(list, ',')) {
    const auto first = support::parse_number<int>(part.substr(0, part.find('-')));
    const auto last = support::parse_number<int>(part.substr(part.find('-') + 1));
    if (!first || !last) continue;
    for (int number = *first; number <= *last; ++number) numbers.insert(number);
  }
  return numbers;
}

/// Reads the reports in the output of a launcher, which may put a rank's number before each line.
RankReports reports_in(const std::string& output) {
  RankReports reports;
  for (support::LineReader lines(output); !lines.at_end(); lines.advance()) {
    const std::string_view line = support::trimmed(lines.line());
    const std::size_t list = line.find(processors);
    if (list != std::string_view::npos) {
      ++reports.ranks;
      reports.processors.push_back(
          processors_in(support::trimmed(line.substr(list + std::string_view(processors).size()))));
    } else if (line.find(profiler) != std::string_view::npos) {
      // The dynamic linker names the library too if it cannot preload it.
      if (line.find("LD_PRELOAD") == std::string_view::npos) ++reports.reached;
    } else if (line.size() >= 36 && std::ranges::count(line, '-') == 4) {
      reports.hosts.emplace(line.substr(line.size() - 36));
    }
  }
  return reports;
}

/// Returns the first paragraph of a launcher's messages in one line.
std::string first_paragraph(const std::string& output) {
  constexpr std::size_t max_bytes = 300;
  std::string paragraph;
  for (support::LineReader lines(output); !lines.at_end(); lines.advance()) {
    const std::string_view line = support::trimmed(lines.line());
    const bool is_rule = line.find_first_not_of("-=") == std::string_view::npos;
    if (is_rule && !paragraph.empty()) break;
    if (!is_rule) paragraph += (paragraph.empty() ? "" : " ") + support::printable(line);
  }
  paragraph.resize(support::utf8_prefix(paragraph, max_bytes).size());
  if (paragraph.ends_with('.')) paragraph.pop_back();
  return paragraph;
}

bool is_executable(const std::string& path) {
  return !path.empty() && ::access(path.c_str(), X_OK) == 0;
}

/// Returns the launcher to run, with its options; empty if none is found.
Words launcher_of(const LaunchToExamine& job) {
  if (!job.launcher.empty())
    return is_executable(find_program(job.launcher.front())) ? job.launcher : Words();
  for (const char* const name : {"mpirun", "mpiexec", "srun"})
    if (is_executable(find_program(name))) return {name, "-n", std::to_string(default_ranks)};
  return {};
}

/// Returns a description of a known launcher; empty for another program, which may be a launcher too.
std::string description_of(const MpiCommand& command) {
  switch (command.launcher) {
    case Launcher::openmpi: return "launcher of Open MPI";
    case Launcher::hydra: return "launcher of MPICH";
    case Launcher::slurm: return "launcher of Slurm, for any MPI";
    case Launcher::other:
    case Launcher::none: break;
  }
  return "";
}

Examination examine_launcher(const LaunchToExamine& job, const Words& launcher) {
  constexpr const char* subject = "MPI launcher";
  if (launcher.empty())
    return {.subject = subject,
            .verdict = Verdict::no,
            .found = job.launcher.empty()
                         ? "PATH contains none of mpirun, mpiexec and srun"
                         : fmt::format("cannot find {}", support::in_quotes(job.launcher.front())),
            .remedy = "load the module of your MPI, or specify the launcher after --",
            .is_needed = true};
  const std::string path = find_program(launcher.front());
  const std::string known = description_of(understand({launcher.front()}));
  // Whether ranks of other launchers are reached shows the next examination.
  if (known.empty()) return {.subject = subject, .found = path + " (launcher of an unknown MPI)"};
  return {.subject = subject,
          .verdict = Verdict::ok,
          .found = fmt::format("{} ({})", path, known),
          .is_needed = true};
}

/// Plans the run of the reports. Without a known MPI, uses the library of any MPI that this Plimsoll was
/// built for, because the ranks do not call MPI.
ProfileLaunch plan_reports(const LaunchToExamine& job, const Words& launcher) {
  ProfileRequest request = {.command = launcher, .options = {}, .mpi = job.mpi, .interposer = {}};
  request.command.insert(request.command.end(), rank_report.begin(), rank_report.end());
  request.options.folder = "/nonexistent";  // nothing is recorded
  try {
    return plan_profile(request);
  } catch (const ProfileLaunchError& error) {
    if (error.cause() != ProfileLaunchError::Cause::unknown_mpi) throw;
  }
  for (const auto& [name, flavour] : mpi_flavours) {
    request.mpi = flavour;
    try {
      return plan_profile(request);
    } catch (const ProfileLaunchError& error) {
      if (error.cause() != ProfileLaunchError::Cause::no_interposer) throw;
    }
  }
  throw support::system_error(
      "cannot find the interposer of any MPI", "", ENOENT,
      "build it with your MPI: scripts/install --components profiler, in the sources of Plimsoll");
}

Examination examine_reports(const RankReports& reports, const support::ChildOutcome& outcome,
                            const LaunchToExamine& job) {
  Examination examination = {.subject = "preloading", .verdict = Verdict::no, .is_needed = true};
  const std::size_t expected = job.launcher.empty() ? default_ranks : std::max<std::size_t>(1, reports.ranks);
  if (outcome.timed_out) {
    examination.found = fmt::format("the launcher did not end within {} s", job.time_limit_s);
    examination.remedy = "run it inside a job, or specify the launcher and its options after --";
  } else if (reports.ranks < expected) {
    examination.found = fmt::format("{} of {} ranks ran, and the launcher ended with status {}: {}",
                                    reports.ranks, expected, outcome.status, first_paragraph(outcome.output));
    examination.remedy = "specify a launcher with options that run at least two ranks, after --";
  } else if (reports.reached < reports.ranks) {
    examination.found =
        fmt::format("the profiler was loaded into {} of {} ranks", reports.reached, reports.ranks);
    examination.remedy =
        "check that all nodes see the installation of Plimsoll, and that no script clears LD_PRELOAD";
  } else if (reports.ranks == 1) {
    examination.verdict = Verdict::unknown;
    examination.found = "the profiler was loaded into the only rank; use a launcher with two or more ranks";
  } else {
    examination.verdict = Verdict::ok;
    examination.found = fmt::format("the profiler was loaded into all {} ranks", reports.ranks);
  }
  return examination;
}

Examination examine_binding(const RankReports& reports) {
  constexpr const char* subject = "binding";
  if (reports.ranks < 2 || reports.hosts.size() != 1)
    return {.subject = subject,
            .found = fmt::format("{} ranks on {} hosts reported: two on one host are needed", reports.ranks,
                                 reports.hosts.size())};
  std::set<int> all;
  std::size_t sum = 0;
  for (const std::set<int>& of_rank : reports.processors) {
    all.insert(of_rank.begin(), of_rank.end());
    sum += of_rank.size();
  }
  if (all.size() < reports.ranks)
    return {.subject = subject,
            .verdict = Verdict::no,
            .found = fmt::format("{} ranks share the processors {}", reports.ranks, fmt::join(all, ", ")),
            .remedy = "start fewer ranks per host, or change the binding options of the launcher"};
  return {.subject = subject,
          .verdict = Verdict::ok,
          .found = fmt::format("{} ranks may use {} processors; {}", reports.ranks, all.size(),
                               sum == all.size() ? "none is shared" : "some are shared, as without binding")};
}

/// Returns whether srun, which this function chose, would wait until it is assigned nodes.
bool would_wait(const LaunchToExamine& job, const Words& launcher) {
  return job.launcher.empty() && understand(launcher).launcher == Launcher::slurm &&
         std::getenv("SLURM_JOB_ID") == nullptr;
}

}  // namespace

std::vector<Examination> examine_launch(const LaunchToExamine& job) {
  const Words launcher = launcher_of(job);
  std::vector<Examination> examinations = {examine_launcher(job, launcher)};
  if (launcher.empty()) return examinations;
  try {
    const ProfileLaunch launch = plan_reports(job, launcher);
    examinations.push_back(
        {.subject = "profiler", .verdict = Verdict::ok, .found = launch.interposer, .is_needed = true});
    if (would_wait(job, launcher)) {
      examinations.push_back({.subject = "preloading",
                              .found = "srun would wait for an allocation; run plimsoll doctor inside a job",
                              .is_needed = true});
      return examinations;
    }
    const support::ChildOutcome outcome = support::run_child(
        launch.command,
        {.variables = launch.environment, .time_limit_s = job.time_limit_s, .merge_errors = true});
    const RankReports reports = reports_in(outcome.output);
    examinations.push_back(examine_reports(reports, outcome, job));
    examinations.push_back(examine_binding(reports));
  } catch (const Error& error) {
    const Diagnostic& problem = error.diagnostic();
    examinations.push_back(
        {.subject = examinations.size() == 1 ? "profiler" : "preloading",
         .verdict = Verdict::no,
         .found = problem.file.empty() ? problem.what : problem.what + ": " + problem.file,
         .remedy = problem.suggestion.empty() ? "check the command after --" : problem.suggestion,
         .is_needed = true});
  }
  return examinations;
}

}  // namespace plimsoll::collectives
