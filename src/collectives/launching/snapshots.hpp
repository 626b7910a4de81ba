#pragma once

#include <atomic>
#include <csignal>
#include <set>
#include <string>
#include <thread>

#include "collectives/launching/launch_steps.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Merges the MPI calls of a running program into DIR/snapshot/mpi-calls.json, as long as this object exists:
/// at regular intervals, and when this process gets SIGUSR1, which it blocks in its thread. The program need
/// not cooperate, because the files of its ranks are always current.
class Snapshots {
 public:
  /// Starts a thread. `launch` and `evidence` must exist as long as this object.
  Snapshots(const ProfileLaunch& launch, const CollectedEvidence& evidence);
  Snapshots(const Snapshots&) = delete;
  Snapshots& operator=(const Snapshots&) = delete;
  ~Snapshots() { stop(); }

  /// Ends the snapshots.
  void stop();
  /// Removes the snapshots of runs whose profile is complete.
  void remove_outdated() const;
  /// Returns why the last snapshot could not be written; empty if it could. Call it after stop().
  const std::string& problem() const { return problem_; }

 private:
  void run();
  void write();

  const ProfileLaunch& launch_;
  const CollectedEvidence& evidence_;
  sigset_t mask_before_{};
  std::atomic<bool> ends_ = false;
  std::set<std::string> folders_;  ///< of the profiles with snapshots
  std::string problem_;
  std::thread thread_;
};

}  // namespace plimsoll::collectives
