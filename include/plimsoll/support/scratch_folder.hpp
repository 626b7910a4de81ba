#pragma once

#include <string>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// A directory that exists only during the lifetime of this object, for files of this program and of the
/// programs that it starts. A signal that stops this process removes it too, if it is still empty.
class ScratchFolder {
 public:
  /// Creates the directory, without the content that a killed program may have left there. Throws Error
  /// (system).
  explicit ScratchFolder(std::string path);
  /// Creates a directory with a new name in the system's directory for temporary files, which only this user
  /// can read. Throws Error (system).
  static ScratchFolder temporary();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  /// Removes the directory with its content.
  ~ScratchFolder();

  const std::string& path() const { return path_; }

 private:
  struct Created {};
  /// Takes over a directory that exists.
  ScratchFolder(std::string path, Created);

  std::string path_;
};

}  // namespace plimsoll::support
