#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include <plimsoll/collectives/recorder.hpp>

namespace plimsoll::inline v0_1::alltoallv {

/// What is known of a communicator of the program.
struct KnownCommunicator {
  std::uint64_t order = 0;  ///< tells it from others with the same members; all of these have the same
  std::atomic<bool> freed = false;

  // From the first recorded use on:
  bool described = false;
  bool outside_world = false;  ///< has processes that are not in MPI_COMM_WORLD; is not recorded
  std::uint32_t number = 0;    ///< the recorder's
  std::uint32_t rank = 0;
  std::uint32_t peers = 0;  ///< ranks that a call exchanges with: its own, or of the remote group
  bool neighbors_known = false;
  std::uint32_t sources = 0;
  std::uint32_t destinations = 0;
  /// Of sources or destinations, those that are ranks, if some are MPI_PROC_NULL (beyond the edges of a
  /// grid).
  std::vector<std::uint32_t> real_sources;
  std::vector<std::uint32_t> real_destinations;
  bool at_an_edge = false;  ///< whether some are not
};

/// Tells the communicators of the program apart by an attribute, which MPI frees with them: a handle that is
/// used again is another communicator. Only local functions are called.
class Communicators {
 public:
  /// Numbers MPI_COMM_WORLD and MPI_COMM_SELF.
  explicit Communicators(collectives::Recorder& recorder);
  Communicators(const Communicators&) = delete;
  Communicators& operator=(const Communicators&) = delete;

  /// Tells a communicator, made of `parent` (or MPI_COMM_NULL), from others with the same members.
  /// MPI_COMM_NULL is none.
  void created(MPI_Comm parent, MPI_Comm communicator);
  /// A copy of `original` that may not be used before a request has completed.
  void being_created(MPI_Comm original, MPI_Comm communicator);

  /// What is known of a communicator, or null if its calls are not to be recorded. A few ns for one that was
  /// used lately.
  KnownCommunicator* find(MPI_Comm communicator) {
    if (generation_ == freed_generation.load(std::memory_order_acquire))
      for (const Recent& recent : recent_)
        if (recent.handle == communicator && recent.known) return recent.known;
    return find_slowly(communicator);
  }
  /// Its neighbours, if it has a topology and they are not known yet.
  void learn_neighbors(MPI_Comm communicator, KnownCommunicator& known);

  /// Does not touch attributes any more, when MPI ends.
  void release();

 private:
  struct Recent {
    MPI_Comm handle = MPI_COMM_NULL;
    KnownCommunicator* known = nullptr;
  };
  /// How many communicators were freed: whether handles in `recent_` may be others by now. Counted by MPI's
  /// callback, which must not wait for a lock that a caller of MPI holds.
  static inline std::atomic<std::uint64_t> freed_generation = 0;
  static int mark_freed(MPI_Comm communicator, int keyval, void* attribute, void* extra_state);

  KnownCommunicator* find_slowly(MPI_Comm communicator);
  KnownCommunicator* attached_to(MPI_Comm communicator);
  KnownCommunicator& attach(MPI_Comm communicator, std::uint64_t order);
  std::uint64_t next_order(MPI_Comm parent, MPI_Comm communicator);
  void describe(MPI_Comm communicator, KnownCommunicator& known);
  /// Nothing if it has processes that are not in MPI_COMM_WORLD.
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
      orders_;  ///< how many there were, by hash of parent and members
  std::unordered_map<MPI_Comm, std::uint64_t> being_created_;
};

}  // namespace plimsoll::alltoallv
