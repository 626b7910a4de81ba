#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <random>

#include <plimsoll/collectives/profile_launch.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/internal/loaded_library.hpp>
#include <plimsoll/support/internal/output_set.hpp>
#include <plimsoll/support/internal/process.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "collectives/files/file_names.hpp"
#include "collectives/launching/ended_runs.hpp"
#include "collectives/launching/launch_steps.hpp"
#include "collectives/launching/snapshots.hpp"
#include "collectives/merging/log_reader.hpp"
#include "collectives/merging/sums_reader.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

namespace fs = std::filesystem;

std::string find_file(MpiFlavour flavour, const std::string& chosen) {
  using enum ProfileLaunchError::Cause;
  std::error_code code;
  if (!chosen.empty()) {
    if (!fs::is_regular_file(chosen, code))
      throw ProfileLaunchError(no_interposer,
                               support::system_error("cannot find the interposer", chosen, ENOENT));
    return fs::absolute(chosen).string();
  }
  const std::string name = fmt::format("libplimsoll-profiler-{}.so", support::name_of(mpi_flavours, flavour));
  if (const auto path = support::find_own_library(name, {"interpose"})) return *path;
  throw ProfileLaunchError(
      no_interposer, support::system_error(
                         "cannot find the interposer", name, ENOENT,
                         "build it with this MPI: scripts/install --components profiler, in the sources of "
                         "Plimsoll; or specify its path"));
}

/// Returns the absolute path of the library to preload; that of `chosen` if it is not empty.
std::string find_interposer(MpiFlavour flavour, const std::string& chosen) {
  std::string path = find_file(flavour, chosen);
  // LD_PRELOAD would be split at these characters, and the program would run without the interposer.
  if (path.find_first_of(" :") != std::string::npos)
    throw ProfileLaunchError(
        ProfileLaunchError::Cause::unusable_path,
        support::usage_error(
            "LD_PRELOAD cannot be set: the path of the interposer contains a space or a colon: " +
                support::in_quotes(path),
            "use a symbolic link whose path does not contain these characters, and specify that path"));
  return path;
}

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
  const bool is_mpich = command.application == MpiFlavour::mpich;
  return fmt::format(
      "the launcher is that of {0}, but the program uses {1}: each process may be a separate program of one "
      "rank; use the launcher of {1}",
      is_mpich ? "Open MPI" : "MPICH", is_mpich ? "MPICH" : "Open MPI");
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

/// Returns the runs of a command whose logs must still be merged. Removes the logs of a run that has written
/// its profile: a program that was killed then leaves them.
std::vector<UnmergedRun> unmerged_runs(const std::string& folder, const CollectedEvidence& evidence) {
  const std::set<std::string> own_runs = evidence.runs();
  const std::string written = evidence.text(Evidence::collectives_written);
  std::vector<UnmergedRun> unmerged;
  for (const LoggedRun& run : find_logs(folder)) {
    const std::string name = run_name(run.run_id);
    if (!own_runs.contains(name) || run.paths.empty()) continue;
    if (name != written) {
      unmerged.push_back({name, has_calls(run)});
      continue;
    }
    std::error_code ignored;
    for (const std::string& path : run.paths) fs::remove(path, ignored);
  }
  return unmerged;
}

/// Returns the right to write the profile of the directory; nothing if another launch has it.
std::optional<support::FolderLock> try_to_lock(const std::string& folder) {
  try {
    return support::FolderLock(folder, {.name = "profile"});
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::usage) return std::nullopt;
    throw;
  }
}

/// Returns the directory of the profile that a command has written; empty if it has written none. If it has
/// written several, returns that of the first run.
std::string written_folder(const std::string& folder, const CollectedEvidence& evidence) {
  const std::string first_run = evidence.text(Evidence::profile_of_run);
  std::string written;
  for (const Evidence what : {Evidence::collectives_written, Evidence::mpi_calls_written}) {
    const std::string run = evidence.text(what);
    if (run.empty()) continue;
    if (run == first_run) return folder;
    written = folder + "/run-" + run;
  }
  return written;
}

/// Returns the kind of content of a directory: files, or else logs that were not merged into files.
ProfileContent profile_content(const std::string& folder) {
  bool has_files = false;
  bool has_logs = false;
  std::error_code code;
  if (!fs::is_directory(folder, code)) return ProfileContent::nothing;
  support::for_each_entry(folder, [&](const support::FolderEntry& entry) {
    has_files = has_files || FileName::parse(entry.path().filename().string());
    has_logs = has_logs || log_header_of(entry.path()) || sums_header_of(entry.path());
  });
  // Logs remain if a program was killed while publishing.
  if (has_files && !support::is_being_published(folder, "")) return ProfileContent::files;
  return has_files || has_logs ? ProfileContent::logs : ProfileContent::nothing;
}

EarlierFiles profile_files(const std::string& folder) {
  EarlierFiles files;
  support::for_each_entry(folder, [&](const support::FolderEntry& entry) {
    if (!FileName::parse(entry.path().filename().string())) return;
    if (const auto file = support::identity(entry.path().string())) files[entry.path().string()] = *file;
  });
  return files;
}

}  // namespace

ProfileLaunch plan_profile(const ProfileRequest& request) {
  PLIMSOLL_EXPECT(!request.command.empty());
  if (request.snapshot_s && !request.options.mpi)
    throw support::usage_error("snapshots contain MPI calls only, which are not recorded",
                               "record mpi, or make no snapshots");
  const MpiCommand understood = understand(request.command);
  const MpiFlavour flavour = flavour_of(request, understood);
  const std::string interposer = find_interposer(flavour, request.interposer);
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
                          .name = options.launch,
                          .interposer = interposer,
                          .overwrite = options.write.overwrite,
                          .with_mpi_calls = options.mpi,
                          .snapshot_s = request.snapshot_s,
                          .appfile = {},
                          .warning = mismatch(understood)};
  add_launcher_options(launcher_of(understood, flavour), interposer, launch);
  return launch;
}

std::string new_launch_name() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

ProfileOutcome run_profile(const ProfileLaunch& launch) {
  support::make_folder(launch.folder);
  const auto lock = try_to_lock(launch.folder);
  const CollectedEvidence evidence(launch.folder, launch.name);
  if (!lock) evidence.keep_runs_out_of_folder();
  const auto earlier_files = profile_files(launch.folder);
  if (launch.appfile) support::write_text_file(launch.appfile->path, launch.appfile->text, true);
  std::optional<Snapshots> snapshots;
  if (launch.snapshot_s) snapshots.emplace(launch, evidence);
  ProfileOutcome outcome = {
      .status = support::run_in_foreground(launch.command, launch.environment, snapshots ? SIGUSR1 : 0)};
  std::error_code ignored;
  if (launch.appfile) fs::remove(launch.appfile->path, ignored);
  if (snapshots) snapshots->stop();
  outcome.unmerged_runs = unmerged_runs(launch.folder, evidence);
  outcome.cut_runs = write_calls_of_ended_runs(launch, evidence, earlier_files, outcome.unmerged_runs);
  if (snapshots) {
    outcome.snapshot_problem = snapshots->problem();
    snapshots->remove_outdated();
  }
  outcome.folder = written_folder(launch.folder, evidence);
  if (!outcome.folder.empty()) {
    outcome.content = ProfileContent::files;
    if (launch.overwrite && outcome.folder == launch.folder)
      for (const auto& [path, file] : earlier_files)  // other programs may have replaced them
        if (support::identity(path) == file) fs::remove(path, ignored);
  } else if (!outcome.unmerged_runs.empty()) {
    outcome.content = ProfileContent::logs;
  } else {
    outcome.empty = explain_empty_profile(launch.command, evidence);
  }
  outcome.lacks_mpi_calls = launch.with_mpi_calls && outcome.content != ProfileContent::nothing &&
                            !evidence.has(Evidence::mpi_calls_written);
  return outcome;
}

}  // namespace plimsoll::collectives
