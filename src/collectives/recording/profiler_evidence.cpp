#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <exception>
#include <filesystem>

#include <plimsoll/collectives/profiler_evidence.hpp>
#include <plimsoll/collectives/profiling_options.hpp>
#include <plimsoll/support/descriptor.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::inline v0_1::collectives {

namespace {

constexpr const char* folder_name = "/.plimsoll-evidence";

/// Each observation is an empty file, so that processes need not agree on its content.
std::string path_of(const std::string& folder, Evidence evidence) {
  return folder + "/" + std::to_string(static_cast<int>(evidence));
}

}  // namespace

bool leave_evidence(Evidence evidence) noexcept {
  try {
    const char* const folder = std::getenv(profiling_folder_variable);
    if (folder == nullptr) return true;
    const std::string path = path_of(std::string(folder) + folder_name, evidence);
    const support::Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    return file.is_open() || errno != EEXIST;
  } catch (const std::exception&) {  // out of memory
    return true;
  }
}

CollectedEvidence::CollectedEvidence(const std::string& folder) : folder_(folder + folder_name) {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);  // left by a killed command
  if (::mkdir(folder_.c_str(), 0777) != 0 && errno != EEXIST)
    throw support::system_error("cannot write to the directory", folder, errno);
}

CollectedEvidence::~CollectedEvidence() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

bool CollectedEvidence::has(Evidence evidence) const {
  return ::access(path_of(folder_, evidence).c_str(), F_OK) == 0;
}

}  // namespace plimsoll::collectives
