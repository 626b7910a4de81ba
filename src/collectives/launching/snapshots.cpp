#include "collectives/launching/snapshots.hpp"

#include <pthread.h>

#include <cerrno>
#include <ctime>
#include <filesystem>

#include <plimsoll/collectives/merge.hpp>
#include <plimsoll/support/internal/threads.hpp>

#include "collectives/launching/ended_runs.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

sigset_t snapshot_signal() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  return signals;
}

timespec duration(double time_s) {
  const auto whole_s = static_cast<std::time_t>(time_s);
  return {whole_s, static_cast<long>(1e9 * (time_s - static_cast<double>(whole_s)))};
}

std::string snapshot_in(const std::string& folder) {
  return folder + "/" + snapshot_folder_name;
}

}  // namespace

Snapshots::Snapshots(const ProfileLaunch& launch, const CollectedEvidence& evidence)
    : launch_(launch), evidence_(evidence) {
  const sigset_t signals = snapshot_signal();
  pthread_sigmask(SIG_BLOCK, &signals, &mask_before_);
  const support::BlockSignals for_the_thread;
  thread_ = std::thread([this] { run(); });
}

void Snapshots::stop() {
  if (!thread_.joinable()) return;
  ends_ = true;
  pthread_kill(thread_.native_handle(), SIGUSR1);
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

void Snapshots::run() {
  const sigset_t signals = snapshot_signal();
  const timespec interval = duration(launch_.snapshot_s.value_or(0));
  for (;;) {
    const bool is_due = sigtimedwait(&signals, nullptr, &interval) == SIGUSR1 || errno == EAGAIN;
    if (ends_) return;
    if (is_due) write();
  }
}

void Snapshots::write() {
  problem_.clear();
  try {
    for (const LoggedRun& run : runs_with_mpi_calls(launch_.folder, evidence_)) {
      const std::string folder = folder_for(launch_.folder, run_name(run.run_id), evidence_);
      MpiCalls calls = merge_mpi_calls(run).calls;
      // The launcher has not ended; where locks do not work, that is all that is known.
      calls.is_running = !writers_of(run).text.empty();
      write_mpi_calls(calls, snapshot_in(folder), true);
      folders_.insert(folder);
    }
  } catch (const std::exception& error) {  // the next snapshot may succeed
    problem_ = error.what();
  }
}

void Snapshots::remove_outdated() const {
  std::error_code ignored;
  for (const std::string& folder : folders_)
    if (std::filesystem::exists(folder + "/" + mpi_calls_file_name, ignored))
      support::remove_tree(snapshot_in(folder));
}

}  // namespace plimsoll::collectives
