#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <iterator>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// The processes of a communicator or a window.
struct Members {
  int rank = 0;                  ///< of this process
  int size = 0;                  ///< of the group that contains this process
  bool inter = false;            ///< whether the peers are a remote group
  std::vector<int> world_ranks;  ///< ranks of the peers in MPI_COMM_WORLD; MPI_UNDEFINED outside it
  /// Positions of the neighbours in the topology that are ranks, not MPI_PROC_NULL.
  std::vector<std::uint32_t> sources;
  std::vector<std::uint32_t> destinations;

  int peers() const { return static_cast<int>(world_ranks.size()); }
};

/// Distinguishes communicators (or windows) by an attribute, which MPI frees with them. A reused handle
/// therefore has new members.
struct OfCommunicators {
  using Handle = MPI_Comm;
};
struct OfWindows {
  using Handle = MPI_Win;
};

/// Number of freed communicators or windows: shows whether handles that a thread remembers may be reused.
template <class Kind>
inline std::atomic<std::uint64_t> freed_generation = 0;

/// Returns the members, from the attribute; adds the attribute if it is missing. Returns null if MPI does not
/// know the handle. Calls only local functions. Throws std::bad_alloc.
const Members* attached_members(MPI_Comm communicator, OfCommunicators);
const Members* attached_members(MPI_Win window, OfWindows);

/// Creates the attributes; call it before any use. forget_members() stops their use when MPI ends.
void remember_members();
void forget_members();

/// The members of communicators or windows that a thread used recently.
template <class Kind>
class RecentMembers {
 public:
  using Handle = typename Kind::Handle;

  /// Returns the members, or null if MPI does not know the handle. Takes a few ns for a recent handle.
  const Members* find(Handle handle) {
    const std::uint64_t now = freed_generation<Kind>.load(std::memory_order_acquire);
    if (generation_ == now) {
      for (const Recent& recent : recent_)
        if (recent.members && recent.handle == handle) return recent.members;
    } else {
      for (Recent& recent : recent_) recent = {};
      generation_ = now;
    }
    const Members* const members = attached_members(handle, Kind{});
    recent_[oldest_] = {handle, members};
    oldest_ = (oldest_ + 1) % std::size(recent_);
    return members;
  }

 private:
  struct Recent {
    Handle handle = {};
    const Members* members = nullptr;
  };
  Recent recent_[4];
  std::size_t oldest_ = 0;
  std::uint64_t generation_ = 0;
};

}  // namespace plimsoll::interpose
