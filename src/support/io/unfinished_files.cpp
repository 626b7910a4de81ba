#include "support/io/unfinished_files.hpp"

#include <cstdio>

#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

namespace {

thread_local int works = 0;  // number of Work objects in this thread

}  // namespace

// The lock prefers readers, so many threads could make stop() wait for a long time.
UnfinishedFiles::Work::Work() {
  if (works++ > 0) return;
  all().stop_.wait(Stop::begun);  // permanently
  all().gate_.lock_shared();
}

UnfinishedFiles::Work::~Work() {
  if (--works == 0) all().gate_.unlock_shared();
}

UnfinishedFiles& UnfinishedFiles::all() {
  static auto& files = *new UnfinishedFiles;  // outlives all objects destroyed at program exit
  return files;
}

void UnfinishedFiles::add(const std::string& path, const FileIdentity& file) {
  const std::lock_guard lock(mutex_);
  files_.insert_or_assign(path, file);
}

void UnfinishedFiles::remove(const std::string& path) {
  const std::lock_guard lock(mutex_);
  files_.erase(path);
}

void UnfinishedFiles::note_published() noexcept {
  const std::lock_guard lock(mutex_);
  ++published_;
}

std::size_t UnfinishedFiles::published() {
  const std::lock_guard lock(mutex_);
  return published_;
}

void UnfinishedFiles::never_stop() {
  PLIMSOLL_EXPECT(works == 0);
  Stop found = Stop::possible;
  stop_.compare_exchange_strong(found, Stop::excluded);
  if (found == Stop::begun) stop_.wait(Stop::begun);  // permanently
}

void UnfinishedFiles::stop() {
  Stop found = Stop::possible;
  stop_.compare_exchange_strong(found, Stop::begun);
  if (found == Stop::excluded) stop_.wait(Stop::excluded);  // permanently
  gate_.lock();                                             // permanently
  const std::lock_guard lock(mutex_);
  for (const auto& [path, file] : files_)
    if (identity(path) == file) ::remove(path.c_str());
}

}  // namespace plimsoll::support
