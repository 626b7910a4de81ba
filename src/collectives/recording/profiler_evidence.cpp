#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <exception>
#include <fstream>

#include <plimsoll/collectives/profiler_evidence.hpp>
#include <plimsoll/collectives/profiling_options.hpp>
#include <plimsoll/support/descriptor.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/launched_rank.hpp>
#include <plimsoll/support/write_at.hpp>

namespace plimsoll::inline v0_1::collectives {

namespace {

constexpr const char* folder_name = "/.plimsoll-evidence";

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
    const char* const folder = std::getenv(profiling_folder_variable);
    if (folder == nullptr) return true;
    const std::string path = path_of(std::string(folder) + folder_name, evidence);
    const support::Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!file.is_open()) return errno != EEXIST;
    support::write_at(file, text, 0, path);
    return true;
  } catch (const std::exception&) {  // out of memory, full disk
    return true;
  }
}

std::string folder_of_run(const std::string& folder, const std::string& run) {
  if (leave_evidence(Evidence::profile_of_run, run)) return folder;
  const char* const noted_in = std::getenv(profiling_folder_variable);
  // The other library of the same process may have come first.
  const bool is_first = text_in(std::string(noted_in) + folder_name, Evidence::profile_of_run) == run;
  return is_first ? folder : folder + "/run-" + run;
}

void leave_evidence_of_rank_0(Evidence evidence) noexcept {
  if (support::may_be_rank_0()) leave_evidence(evidence);
}

CollectedEvidence::CollectedEvidence(const std::string& folder) : folder_(folder + folder_name) {}

bool CollectedEvidence::has(Evidence evidence) const {
  return ::access(path_of(folder_.path(), evidence).c_str(), F_OK) == 0;
}

std::string CollectedEvidence::text(Evidence evidence) const {
  return text_in(folder_.path(), evidence);
}

}  // namespace plimsoll::collectives
