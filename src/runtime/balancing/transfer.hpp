#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/runtime/migration.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/balancing/object_packing.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Transfers the objects of queues round by round. A rank calls start_round(), run_round() and agrees with
/// all others on error(); then all call finish_round(), or all call undo_round().
class Transfer {
 public:
  /// The arguments must outlive this object. `piece_bytes` is the maximum size of an MPI message, the same on
  /// all ranks.
  Transfer(const mpi::Communicator& communicator, std::vector<ObjectQueue>& outgoing,
           std::vector<ObjectQueue>& incoming, const ObjectTransport& transport,
           std::size_t piece_bytes = mpi::max_piece_bytes);

  /// Takes the objects of the next round and allocates all memory of the round. May throw std::bad_alloc.
  void start_round();
  /// Packs, sends, receives and unpacks the objects of the round. Collective over the ranks at both ends of
  /// the queues. It always finishes the communication: after an error on this rank, it sends empty messages
  /// instead of packets and does not unpack the packets that it receives.
  void run_round();
  /// Returns the first error of the round on this rank.
  const std::optional<Error>& error() const { return error_; }
  /// Removes the objects that have left this rank. Throws the first error after it has removed all others.
  void finish_round();
  /// Removes the objects that this rank has unpacked in this round.
  void undo_round();

 private:
  /// Memory for one packet and the state of its messages.
  struct Slot {
    std::unique_ptr<std::byte[]> memory;
    std::size_t capacity = 0;
    const Packet* packet = nullptr;
    std::size_t unfinished = 0;      ///< messages of this packet that are under way
    std::size_t received_bytes = 0;  ///< less than the packet if its sender failed

    void reserve(std::size_t bytes);
  };

  std::size_t pieces_of(const Packet& packet) const;
  std::size_t reserve_slots(std::size_t begin, std::span<const Packet> packets, std::size_t max_bytes,
                            std::size_t extra_bytes);
  void send(std::size_t slot);
  void receive(std::size_t slot, const Packet& packet);
  void start_free_sends();
  void finish_piece(std::size_t slot, const MPI_Status& status);
  void unpack(const Slot& slot);
  std::span<const SizedObject> objects_of(const std::vector<ObjectQueue>& queues, const Packet& packet) const;
  template <class Work>
  void unless_failed(const Work& work);

  const mpi::Communicator& communicator_;
  std::vector<ObjectQueue>& outgoing_;
  std::vector<ObjectQueue>& incoming_;
  const ObjectTransport& transport_;
  const std::size_t piece_bytes_;

  std::vector<Packet> sends_;                  // the packets of all outgoing queues in turn
  std::size_t next_send_ = 0;                  // first one that has no slot yet
  std::vector<std::vector<Packet>> receives_;  // by incoming queue
  std::vector<std::size_t> next_receive_;      // by incoming queue
  std::vector<Slot> slots_;                    // those of sends, then those of receives
  std::size_t n_send_slots_ = 0;
  std::size_t n_slots_ = 0;
  std::size_t pieces_per_slot_ = 1;
  std::vector<MPI_Request> requests_;  // pieces_per_slot_ for each slot
  std::vector<int> finished_;
  std::vector<MPI_Status> statuses_;
  std::vector<ObjectId> unpacked_;  // in this round
  std::optional<Error> error_;
};

}  // namespace plimsoll::runtime
