#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include <plimsoll/collectives/merge.hpp>
#include <plimsoll/collectives/profile_launch.hpp>
#include <plimsoll/collectives/profiler_evidence.hpp>
#include <plimsoll/support/child_process.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/folder.hpp>
#include <plimsoll/support/quoted.hpp>
#include <plimsoll/support/text_file.hpp>

#include "collectives/launching/empty_profile.hpp"
#include "collectives/launching/interposer_file.hpp"
#include "collectives/launching/launcher_options.hpp"
#include "collectives/launching/mpi_command.hpp"
#include "collectives/launching/profile_content.hpp"

namespace plimsoll::inline v0_1::collectives {

namespace {

namespace fs = std::filesystem;

MpiFlavour flavour_of(const ProfileRequest& request, const MpiCommand& command) {
  if (request.mpi) return *request.mpi;
  if (command.application) return *command.application;
  if (command.launcher == Launcher::openmpi) return MpiFlavour::openmpi;
  if (command.launcher == Launcher::hydra) return MpiFlavour::mpich;
  throw ProfileLaunchError(
      ProfileLaunchError::Cause::unknown_mpi,
      support::usage_error(fmt::format("unknown MPI of {}", support::in_quotes(fmt::format(
                                                                "{}", fmt::join(request.command, " ")))),
                           "specify the MPI: openmpi or mpich"));
}

Launcher launcher_of(const MpiCommand& command, MpiFlavour flavour) {
  if (!command.launcher_unknown) return command.launcher;
  return flavour == MpiFlavour::openmpi ? Launcher::openmpi : Launcher::hydra;
}

/// Returns a warning if the launcher belongs to another MPI than the program; else "".
std::string mismatch(const MpiCommand& command) {
  const bool mismatched =
      (command.launcher == Launcher::hydra && command.application == MpiFlavour::openmpi) ||
      (command.launcher == Launcher::openmpi && command.application == MpiFlavour::mpich);
  if (!mismatched) return "";
  return fmt::format(
      "the launcher is that of {}, but the program uses {}: each process may be a separate program of one "
      "rank; use the launcher of {}",
      command.launcher == Launcher::hydra ? "MPICH" : "Open MPI",
      command.application == MpiFlavour::mpich ? "MPICH" : "Open MPI",
      command.application == MpiFlavour::mpich ? "MPICH" : "Open MPI");
}

/// Returns whether merging the logs of a run finds calls.
bool has_calls(const LoggedRun& run) {
  constexpr std::uintmax_t max_bytes = std::uintmax_t{256} << 20;
  std::uintmax_t bytes = 0;
  std::error_code unknown;
  for (const std::string& path : run.paths) bytes += fs::file_size(path, unknown);
  if (bytes > max_bytes) return true;
  try {
    const Profile profile = merge_files(run).profile;
    return recorded_calls(profile) > 0 || !profile.failed_calls.empty();
  } catch (const Error&) {  // merging reports it
    return true;
  }
}

/// Returns the runs since `start` whose logs must still be merged. Removes the logs of the run that wrote the
/// profile: a program that was killed then leaves them.
std::vector<UnmergedRun> unmerged_runs(fs::file_time_type start, const std::string& folder,
                                       const std::string& run_of_profile) {
  std::vector<UnmergedRun> unmerged;
  for (const LoggedRun& run : find_logs(folder)) {
    std::error_code code;
    if (std::ranges::none_of(
            run.paths, [&](const std::string& path) { return fs::last_write_time(path, code) >= start; }))
      continue;
    if (run_name(run.run_id) != run_of_profile) {
      unmerged.push_back({run_name(run.run_id), has_calls(run)});
      continue;
    }
    for (const std::string& path : run.paths) fs::remove(path, code);
  }
  return unmerged;
}

}  // namespace

ProfileLaunch plan_profile(const ProfileRequest& request) {
  PLIMSOLL_EXPECT(!request.command.empty());
  const MpiCommand understood = understand(request.command);
  const MpiFlavour flavour = flavour_of(request, understood);
  const std::string interposer = find_interposers(flavour, request.options, request.interposer);
  ProfilingOptions options = request.options;
  if (!options.write.overwrite && profile_content(options.folder) != ProfileContent::nothing)
    throw ProfileLaunchError(
        ProfileLaunchError::Cause::existing_profile,
        support::usage_error(fmt::format("{} already contains a profile", support::in_quotes(options.folder)),
                             "use another directory, or allow overwriting"));
  std::error_code code;
  const fs::path folder = fs::weakly_canonical(options.folder, code);
  if (code) throw support::system_error("cannot find the directory", options.folder, code.value());
  options.folder = folder.string();
  ProfileLaunch launch = {.command = request.command,
                          .environment = profiling_environment(options),
                          .folder = options.folder,
                          .appfile = {},
                          .warning = mismatch(understood)};
  add_launcher_options(launcher_of(understood, flavour), interposer, launch);
  return launch;
}

ProfileOutcome run_profile(const ProfileLaunch& launch) {
  support::make_folder(launch.folder);
  const CollectedEvidence evidence(launch.folder);
  const std::vector<support::FileIdentity> files_before = files_of_collectives(launch.folder);
  // Subtract a second, because file timestamps are coarse.
  const auto start = fs::file_time_type::clock::now() - std::chrono::seconds(1);
  if (launch.appfile) support::write_text_file(launch.appfile->path, launch.appfile->text, true);
  const int status = support::run_in_foreground(launch.command, launch.environment);
  std::error_code ignored;
  if (launch.appfile) fs::remove(launch.appfile->path, ignored);
  ProfileOutcome outcome = {
      .status = status, .content = profile_content(launch.folder, start), .empty = {}, .unmerged_runs = {}};
  if (outcome.content == ProfileContent::nothing)
    outcome.empty = explain_empty_profile(launch.command, evidence);
  else
    outcome.unmerged_runs = unmerged_runs(
        start, launch.folder,
        was_published(launch.folder, files_before) ? evidence.text(Evidence::profile_of_run) : "");
  return outcome;
}

}  // namespace plimsoll::collectives
