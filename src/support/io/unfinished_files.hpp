#pragma once

#include <plimsoll/support/files.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// List of the files of this process that have no final name yet, and of directories for its lifetime. They
/// are removed if a signal stops the process, directories only if they are empty.
class UnfinishedFiles {
 public:
  /// Guard that is held while files are created or renamed; may be nested. Once the process stops, no thread
  /// can acquire it any more.
  class Work {
   public:
    Work();
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    ~Work();
  };

  static void add(const std::string& path, const FileIdentity& file);
  /// Removes a file from the list, because it has its final name, was removed, or must be kept unfinished.
  static void remove(const std::string& path);
  static void note_published() noexcept;
  static std::size_t published();

  /// Waits for work in progress, prevents any new work, and removes the files.
  static void stop();
  /// Makes later calls of stop() wait forever, without effect on work. Waits forever itself if the process is
  /// already being stopped. The thread must not hold Work.
  static void never_stop();
};

}  // namespace plimsoll::support
