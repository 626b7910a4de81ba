#include "collectives/launching/ended_runs.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

/// Returns whether processes still record a run. Those of a killed launcher may end a little later.
bool is_still_recording(const LoggedRun& run) {
  constexpr std::chrono::milliseconds pause{20};
  constexpr int patience = 100;
  for (int k = 0; k < patience && writers_of(run).certain; ++k) std::this_thread::sleep_for(pause);
  return writers_of(run).certain;
}

/// Returns whether a run has written its MPI calls itself, but was killed before its ranks removed their
/// files.
bool has_written(const std::string& path, const EarlierFiles& earlier) {
  const auto file = support::identity(path);
  const auto before = earlier.find(path);
  return file && (before == earlier.end() || before->second != *file);
}

CutRun write_calls(const LoggedRun& run, const std::string& folder, bool overwrite) {
  CutRun cut = {.name = run_name(run.run_id), .folder = folder, .calls = {}, .findings = {}, .problem = {}};
  try {
    MergedMpiCalls merged = merge_mpi_calls(run);
    write_mpi_calls(merged.calls, folder, overwrite);
    cut.calls = std::move(merged.calls);
    cut.findings = std::move(merged.findings);
  } catch (const Error& error) {
    cut.problem = error.what();
  }
  return cut;
}

}  // namespace

std::vector<LoggedRun> runs_with_mpi_calls(const std::string& folder, const CollectedEvidence& evidence) {
  const std::set<std::string> own_runs = evidence.runs();
  std::vector<LoggedRun> runs = find_logs(folder);
  std::erase_if(runs, [&](const LoggedRun& run) {
    return run.mpi_paths.empty() || !own_runs.contains(run_name(run.run_id));
  });
  return runs;
}

std::string folder_for(const std::string& folder, const std::string& run, const CollectedEvidence& evidence) {
  return evidence.text(Evidence::profile_of_run) == run ? folder : folder + "/run-" + run;
}

std::vector<CutRun> write_calls_of_ended_runs(const ProfileLaunch& launch, const CollectedEvidence& evidence,
                                              const EarlierFiles& earlier,
                                              std::vector<UnmergedRun>& unmerged) {
  const auto leave = [&](const std::string& name) {
    if (std::ranges::find(unmerged, name, &UnmergedRun::name) == unmerged.end()) unmerged.push_back({name});
  };
  std::vector<CutRun> cut_runs;
  for (const LoggedRun& run : runs_with_mpi_calls(launch.folder, evidence)) {
    const std::string name = run_name(run.run_id);
    if (is_still_recording(run)) {
      leave(name);
      continue;
    }
    const std::string folder = folder_for(launch.folder, name, evidence);
    if (!has_written(folder + "/" + mpi_calls_file_name, earlier)) {
      cut_runs.push_back(write_calls(run, folder, launch.overwrite));
      if (!cut_runs.back().problem.empty()) {
        leave(name);
        continue;
      }
      evidence.add(Evidence::mpi_calls_written, name);
    }
    std::error_code ignored;
    for (const std::string& path : run.mpi_paths) std::filesystem::remove(path, ignored);
  }
  return cut_runs;
}

}  // namespace plimsoll::collectives
