#include <stdlib.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>

#include "support/io/unfinished_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {

ScratchFolder::ScratchFolder(std::string path) : path_(std::move(path)) {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  const UnfinishedFiles::Work work;
  if (::mkdir(path_.c_str(), 0777) != 0 && errno != EEXIST)
    throw system_error("cannot create the directory", path_, errno);
  if (const auto folder = identity(path_)) UnfinishedFiles::all().add(path_, *folder);
}

ScratchFolder::ScratchFolder(std::string path, Created) : path_(std::move(path)) {
  if (const auto folder = identity(path_)) UnfinishedFiles::all().add(path_, *folder);
}

ScratchFolder ScratchFolder::temporary() {
  std::error_code unknown;
  std::string path = (std::filesystem::temp_directory_path(unknown) / "plimsoll-XXXXXX").string();
  const UnfinishedFiles::Work work;
  if (unknown || ::mkdtemp(path.data()) == nullptr)
    throw system_error("cannot create a directory for temporary files", path,
                       unknown ? unknown.value() : errno);
  return {std::move(path), Created()};
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  UnfinishedFiles::all().remove(path_);
}

}  // namespace plimsoll::support
