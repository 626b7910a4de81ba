#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include <plimsoll/collectives/internal/recorder.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Data about a communicator of the program.
struct KnownCommunicator {
  std::uint64_t order =
      0;  ///< number that distinguishes communicators with the same members; equal on all members
  std::atomic<bool> freed = false;

  // Set at the first recorded use:
  bool described = false;
  bool outside_world =
      false;  ///< whether processes outside MPI_COMM_WORLD are members; if so, calls are not recorded
  std::uint32_t number = 0;  ///< number of the communicator in the recorder
  std::uint32_t rank = 0;
  /// Number of ranks with which a call exchanges data: the size of the local or the remote group.
  std::uint32_t peers = 0;
  bool neighbors_known = false;
  std::uint32_t sources = 0;
  std::uint32_t destinations = 0;
  /// Positions of sources and destinations that are ranks, if some are MPI_PROC_NULL (beyond the edges of a
  /// grid).
  std::vector<std::uint32_t> real_sources;
  std::vector<std::uint32_t> real_destinations;
  bool at_an_edge = false;  ///< whether any neighbours are MPI_PROC_NULL
};

/// Distinguishes the communicators of the program by an attribute, which MPI frees with them. A reused handle
/// therefore counts as a new communicator. Calls only local functions.
class Communicators {
 public:
  /// Registers MPI_COMM_WORLD and MPI_COMM_SELF.
  explicit Communicators(collectives::Recorder& recorder);
  Communicators(const Communicators&) = delete;
  Communicators& operator=(const Communicators&) = delete;

  /// Registers a new communicator, made from `parent` (MPI_COMM_NULL if none), so that it differs from others
  /// with the same members. Ignores MPI_COMM_NULL.
  void created(MPI_Comm parent, MPI_Comm communicator);
  /// Registers a copy of `original` that may not be used before a request has completed.
  void being_created(MPI_Comm original, MPI_Comm communicator);

  /// Returns the data about a communicator, or null if its calls are not recorded. Takes a few ns for a
  /// recently used one.
  KnownCommunicator* find(MPI_Comm communicator) {
    if (generation_ == freed_generation.load(std::memory_order_acquire))
      for (const Recent& recent : recent_)
        if (recent.handle == communicator && recent.known) return recent.known;
    return find_slowly(communicator);
  }
  /// Sets the neighbours of a communicator, if it has a topology and they are not known yet.
  void learn_neighbors(MPI_Comm communicator, KnownCommunicator& known);

  /// Stops accessing attributes; call it when MPI ends.
  void release();

 private:
  struct Recent {
    MPI_Comm handle = MPI_COMM_NULL;
    KnownCommunicator* known = nullptr;
  };
  /// Number of freed communicators: shows whether handles in `recent_` may have been reused. MPI's callback
  /// increments it and must not wait for a lock that a caller of MPI holds.
  static inline std::atomic<std::uint64_t> freed_generation = 0;
  static int mark_freed(MPI_Comm communicator, int keyval, void* attribute, void* extra_state);

  KnownCommunicator* find_slowly(MPI_Comm communicator);
  KnownCommunicator* attached_to(MPI_Comm communicator);
  KnownCommunicator& attach(MPI_Comm communicator, std::uint64_t order);
  std::uint64_t next_order(MPI_Comm parent, MPI_Comm communicator);
  void describe(MPI_Comm communicator, KnownCommunicator& known);
  /// Returns the description of a communicator; nothing if processes outside MPI_COMM_WORLD are members.
  std::optional<collectives::CommunicatorDescription> description_of(MPI_Comm communicator) const;
  std::optional<std::vector<std::uint32_t>> world_ranks(MPI_Group group) const;

  collectives::Recorder& recorder_;
  MPI_Group world_ = MPI_GROUP_NULL;
  int keyval_ = MPI_KEYVAL_INVALID;
  std::uint64_t generation_ = 0;
  Recent recent_[4];
  std::size_t oldest_ = 0;
  std::vector<std::unique_ptr<KnownCommunicator>> all_;
  std::unordered_map<std::uint64_t, std::uint64_t>
      orders_;  ///< number of communicators so far, by hash of parent and members
  std::unordered_map<MPI_Comm, std::uint64_t> being_created_;
};

}  // namespace plimsoll::interpose
