#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>

#include <plimsoll/collectives/internal/profiler_evidence.hpp>
#include <plimsoll/collectives/profiling_options.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/process.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

constexpr std::string_view run_prefix = "run-";

std::string folder_name(const std::string& profile, std::string_view launch) {
  std::string name = profile + "/.plimsoll-evidence";
  if (!launch.empty()) name.append("-").append(launch);
  return name;
}

/// Returns the directory for the observations of this process; empty if `plimsoll profile` did not start it.
std::string own_folder() {
  const char* const profile = std::getenv(profiling_folder_variable);
  const char* const options = std::getenv(profiling_options_variable);
  return profile == nullptr ? "" : folder_name(profile, launch_in(options == nullptr ? "" : options));
}

bool create(const std::string& path, std::string_view text) {
  const support::Descriptor file = support::open_file(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (!file.is_open()) return errno != EEXIST;
  support::write_at(file, text, 0, path);
  return true;
}

/// Each observation is a file of its own, so that processes need not take turns.
std::string path_of(const std::string& folder, Evidence evidence) {
  return folder + "/" + std::to_string(static_cast<int>(evidence));
}

std::string text_in(const std::string& folder, Evidence evidence) {
  std::ifstream file(path_of(folder, evidence));
  std::string text;
  std::getline(file, text);
  return text;
}

}  // namespace

bool leave_evidence(Evidence evidence, std::string_view text) noexcept {
  try {
    const std::string folder = own_folder();
    return folder.empty() || create(path_of(folder, evidence), text);
  } catch (const std::exception&) {  // out of memory, full disk
    return true;
  }
}

void leave_evidence_of_run(const std::string& run) noexcept {
  try {
    const std::string folder = own_folder();
    if (!folder.empty()) create(folder + "/" + std::string(run_prefix) + run, "");
  } catch (const std::exception&) {  // out of memory, full disk
  }
}

std::string folder_of_run(const std::string& folder, const std::string& run) {
  if (leave_evidence(Evidence::profile_of_run, run)) return folder;
  // The same run may have called this function before.
  const bool is_first = text_in(own_folder(), Evidence::profile_of_run) == run;
  return is_first ? folder : folder + "/run-" + run;
}

void leave_evidence_of_rank_0(Evidence evidence) noexcept {
  if (support::may_be_rank_0()) leave_evidence(evidence);
}

CollectedEvidence::CollectedEvidence(const std::string& folder, std::string_view launch)
    : folder_(folder_name(folder, launch)) {}

bool CollectedEvidence::has(Evidence evidence) const {
  return ::access(path_of(folder_.path(), evidence).c_str(), F_OK) == 0;
}

std::string CollectedEvidence::text(Evidence evidence) const {
  return text_in(folder_.path(), evidence);
}

void CollectedEvidence::add(Evidence evidence, std::string_view text) const {
  create(path_of(folder_.path(), evidence), text);
}

void CollectedEvidence::keep_runs_out_of_folder() const {
  add(Evidence::profile_of_run, "");
}

std::set<std::string> CollectedEvidence::runs() const {
  std::set<std::string> runs;
  support::for_each_entry(folder_.path(), [&](const support::FolderEntry& entry) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(run_prefix)) runs.insert(name.substr(run_prefix.size()));
  });
  return runs;
}

}  // namespace plimsoll::collectives
