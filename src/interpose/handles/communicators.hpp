#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Positions of some peers; the first ones if `positions` is null.
struct Peers {
  std::size_t count = 0;
  const std::uint32_t* positions = nullptr;
  std::size_t operator[](std::size_t k) const { return positions ? positions[k] : k; }
};

/// The processes of a communicator or a window.
struct Members {
  int rank = 0;                  ///< of this process
  int size = 0;                  ///< of the group that contains this process
  bool inter = false;            ///< whether the peers are a remote group
  std::vector<int> world_ranks;  ///< ranks of the peers in MPI_COMM_WORLD; MPI_UNDEFINED outside it
  /// Positions of the neighbours in the topology that are ranks, not MPI_PROC_NULL (beyond the edges of a
  /// grid).
  std::vector<std::uint32_t> sources;
  std::vector<std::uint32_t> destinations;
  /// Numbers of neighbours, including MPI_PROC_NULL.
  std::uint32_t all_sources = 0;
  std::uint32_t all_destinations = 0;

  std::uint32_t peers() const { return static_cast<std::uint32_t>(world_ranks.size()); }
  Peers all_peers() const { return {peers()}; }
  /// Return the peers to which this rank sends data, or from which it receives data. Neighbourhood
  /// collectives transfer no data beyond the edges of a grid.
  Peers destinations_of(bool neighborhood) const {
    return neighborhood ? Peers{destinations.size(), destinations.data()} : all_peers();
  }
  Peers sources_of(bool neighborhood) const {
    return neighborhood ? Peers{sources.size(), sources.data()} : all_peers();
  }
  bool at_an_edge() const { return sources.size() < all_sources || destinations.size() < all_destinations; }
};

struct ComparedCalls;

/// The messages of the profiler about those on a communicator. Open requests share it, because the program
/// may free their communicator.
struct Channel {
  std::uint64_t id = 0;          ///< name of the communicator
  std::vector<int> world_ranks;  ///< ranks of the peers in MPI_COMM_WORLD
};

/// A communicator of the program, distinguished by an attribute, which MPI frees with it. A reused handle
/// therefore has new data.
struct Communicator : Members {
  bool has_members = false;
  std::uint64_t order = 0;  ///< name on which all members agree (communicator_names.hpp); 0: not known yet
  bool is_named = false;    ///< whether its creation was seen
  bool described = false;
  bool outside_world = false;  ///< whether processes outside MPI_COMM_WORLD are members
  bool neighbors_recorded = false;
  std::uint32_t number = 0;                ///< number of the communicator in the recorder, if it is described
  std::shared_ptr<const Channel> channel;  ///< null before channel_of()
  ComparedCalls* compared_calls = nullptr;  ///< of blocking collectives; null before the first one
};

/// Creates the attributes; call it before any use. forget_handles() stops their use when MPI ends.
void remember_handles();
void forget_handles();

/// Returns the data of a communicator, perhaps without its members; null if MPI does not know the handle.
/// Calls only local functions. Throws std::bad_alloc.
Communicator* attached_to(MPI_Comm communicator);

/// Returns the data of a communicator or a window with its members, in the same way.
Communicator* find_communicator_slowly(MPI_Comm communicator);
Members* find_window_slowly(MPI_Win window);

/// Returns the ranks of a group's members in MPI_COMM_WORLD. Frees the group.
std::vector<int> world_ranks(MPI_Group group);

/// Returns the numbers of described communicators that were freed since the last call.
std::vector<std::uint32_t> take_freed_numbers();

/// Communicators or windows that a thread used recently.
template <class Handle, class Data, Data* (*find_slowly)(Handle)>
class RecentHandles {
 public:
  /// Number of freed communicators or windows: shows whether handles may be reused.
  static inline std::atomic<std::uint64_t> freed_generation = 0;

  Data* find(Handle handle) {
    const std::uint64_t now = freed_generation.load(std::memory_order_acquire);
    if (generation_ == now) {
      for (const Recent& recent : recent_)
        if (recent.data && recent.handle == handle) return recent.data;
    } else {
      for (Recent& recent : recent_) recent = {};
      generation_ = now;
    }
    Data* const data = find_slowly(handle);
    recent_[oldest_] = {handle, data};
    oldest_ = (oldest_ + 1) % std::size(recent_);
    return data;
  }

 private:
  struct Recent {
    Handle handle = {};
    Data* data = nullptr;
  };
  Recent recent_[4];
  std::size_t oldest_ = 0;
  std::uint64_t generation_ = 0;
};
using RecentCommunicators = RecentHandles<MPI_Comm, Communicator, &find_communicator_slowly>;
using RecentWindows = RecentHandles<MPI_Win, Members, &find_window_slowly>;

/// Returns the data of a communicator or a window with its members, or null if MPI does not know the handle.
/// Takes a few ns for a handle that this thread used recently.
inline Communicator* find_communicator(MPI_Comm communicator) {
  static constinit thread_local RecentCommunicators recent;
  return recent.find(communicator);
}
inline Members* find_window(MPI_Win window) {
  static constinit thread_local RecentWindows recent;
  return recent.find(window);
}

}  // namespace plimsoll::interpose
