#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>

#include <plimsoll/support/files.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Files of this process that have no final name yet, and directories for its lifetime. They are removed if
/// a signal stops the process, directories only if they are empty.
class UnfinishedFiles {
 public:
  static UnfinishedFiles& all();

  /// Guard that is held while files are created or renamed; may be nested. Once the process stops, no thread
  /// can acquire it any more.
  class Work {
   public:
    Work();
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    ~Work();
  };

  void add(const std::string& path, const FileIdentity& file);
  /// Removes a file from the list, because it has its final name, was removed, or must be kept unfinished.
  void remove(const std::string& path);
  void note_published() noexcept;
  std::size_t published();

  /// Waits for work in progress, prevents any new work, and removes the files.
  void stop();
  /// Makes later calls of stop() wait forever, without effect on work. Waits forever itself if the process is
  /// already being stopped. The thread must not hold Work.
  void never_stop();

 private:
  enum class Stop { possible, begun, excluded };

  std::atomic<Stop> stop_ = Stop::possible;
  std::shared_mutex gate_;  ///< shared by threads with Work
  std::mutex mutex_;        ///< guards the following members
  std::map<std::string, FileIdentity> files_;
  std::size_t published_ = 0;
};

}  // namespace plimsoll::support
