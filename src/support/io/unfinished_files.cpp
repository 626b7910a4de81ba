#include "support/io/unfinished_files.hpp"

#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>
#include <shared_mutex>

#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

namespace {

enum class Stop { possible, begun, excluded };

thread_local int works = 0;  // number of Work objects in this thread

struct State {
  std::atomic<Stop> stop = Stop::possible;
  std::shared_mutex gate;  ///< shared by threads with Work
  std::mutex mutex;        ///< guards `files`
  std::map<std::string, FileIdentity> files;
  std::atomic<std::size_t> published = 0;
};

State& state() {
  static auto& all = *new State;  // outlives all objects destroyed at program exit
  return all;
}

}  // namespace

// The lock prefers readers, so many threads could make stop() wait for a long time.
UnfinishedFiles::Work::Work() {
  if (works++ > 0) return;
  state().stop.wait(Stop::begun);  // permanently
  state().gate.lock_shared();
}

UnfinishedFiles::Work::~Work() {
  if (--works == 0) state().gate.unlock_shared();
}

void UnfinishedFiles::add(const std::string& path, const FileIdentity& file) {
  const std::lock_guard lock(state().mutex);
  state().files.insert_or_assign(path, file);
}

void UnfinishedFiles::remove(const std::string& path) {
  const std::lock_guard lock(state().mutex);
  state().files.erase(path);
}

void UnfinishedFiles::note_published() noexcept {
  ++state().published;
}

std::size_t UnfinishedFiles::published() {
  return state().published;
}

void UnfinishedFiles::never_stop() {
  PLIMSOLL_EXPECT(works == 0);
  Stop found = Stop::possible;
  state().stop.compare_exchange_strong(found, Stop::excluded);
  if (found == Stop::begun) state().stop.wait(Stop::begun);  // permanently
}

void UnfinishedFiles::stop() {
  Stop found = Stop::possible;
  state().stop.compare_exchange_strong(found, Stop::begun);
  if (found == Stop::excluded) state().stop.wait(Stop::excluded);  // permanently
  state().gate.lock();                                             // permanently
  const std::lock_guard lock(state().mutex);
  for (const auto& [path, file] : state().files)
    if (identity(path) == file) ::remove(path.c_str());
}

}  // namespace plimsoll::support
