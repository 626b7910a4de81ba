#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Finds out which ranks of a program take part, without MPI and without waiting for those that do not. They
/// meet in a subdirectory of `folder`: each rank creates a file there. Rank 0 counts the files. If rank 0
/// does not take part, another rank does. The decision is a symbolic link: the system creates it together
/// with its content, and only once. All ranks therefore get the same decision, even if some are late, and
/// also on network file systems.
class RollCall {
 public:
  /// Clock that no one can set.
  using Clock = std::chrono::steady_clock;

  /// Announces this rank. `name` must be equal on all ranks, and unique to the program. Ranks count as absent
  /// if none of them has announced itself for `patience`. Throws Error (system) if the directory cannot be
  /// written.
  RollCall(const std::string& folder, const std::string& name, int rank, int ranks,
           Clock::duration patience = std::chrono::seconds(5));
  RollCall(const RollCall&) = delete;
  RollCall& operator=(const RollCall&) = delete;
  ~RollCall();

  /// Waits for the decision. Returns a text such as "2 of 4 ranks are not profiled (2, 3)", or an empty text
  /// if no rank is absent. Calls `while_waiting` repeatedly. Throws Error (system) if the directory cannot be
  /// read or written.
  std::string absent_ranks(const std::function<void()>& while_waiting);
  /// Returns whether this rank made the decision, and should report it.
  bool decided_here() const { return decided_here_; }

 private:
  void announce();
  std::optional<std::string> decision() const;
  void decide_if_possible();
  bool may_decide() const;
  void decide(const std::string& text);

  const int rank_;
  const int ranks_;
  const Clock::duration patience_;
  const std::filesystem::path folder_;
  const std::filesystem::path decision_ = folder_ / "decision";
  Clock::time_point last_arrival_ = Clock::now();
  int arrived_ = 0;
  bool decided_here_ = false;
};

/// Returns a text that identifies MPI_COMM_WORLD: equal on all its ranks, and different for other programs
/// and for the ranks that a program spawns. It comes from the launcher (Open MPI, MPICH, Slurm, PALS). With
/// an unknown launcher, it is equal only for processes with the same parent. Does not communicate.
std::string world_name();

/// Returns an ID of the run whose rank 0 is this process. It is equal in all preloaded libraries of the
/// process, and differs from that of all other runs. Does not communicate.
std::uint64_t run_id_of_rank_0();

}  // namespace plimsoll::interpose
