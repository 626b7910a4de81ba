#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>

#include <plimsoll/support/new_file.hpp>

namespace plimsoll::inline v0_1::support {

/// The files of this process that have no final name yet: what is to be removed if it is told to stop.
class UnfinishedFiles {
 public:
  /// That of the process.
  static UnfinishedFiles& all();

  /// One lives while files are created or get their names, also within another. Once the process stops, no
  /// thread gets one any more.
  class Work {
   public:
    Work();
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    ~Work();
  };

  void add(const std::string& path, const FileIdentity& file);
  /// Forgets a file: it has its name, is removed, or stays as it is.
  void remove(const std::string& path);
  void note_published() noexcept;
  /// How many files have got their names in this process.
  std::size_t published();

  /// Waits for work that is under way, lets no other begin, and removes the files.
  void stop();
  /// From now on stop() waits for ever. Does so itself if the process is being stopped.
  void never_stop();

 private:
  std::atomic<bool> stopping_ = false;
  std::shared_mutex gate_;
  std::mutex mutex_;  ///< guards what follows
  std::map<std::string, FileIdentity> files_;
  std::size_t published_ = 0;
};

}  // namespace plimsoll::support
