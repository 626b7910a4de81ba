#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/runtime/migration.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// An object and its packed size.
struct SizedObject {
  ObjectId id = ObjectId::none;
  std::size_t bytes = 0;
};

/// Bytes behind the packed objects that detect a pack() which writes past its object.
inline constexpr std::size_t guard_bytes = 64;

/// Returns the size of an object in a packet, where every object begins at an aligned position.
constexpr std::size_t aligned_bytes(std::size_t bytes) {
  constexpr std::size_t alignment = 16;
  return (bytes + alignment - 1) / alignment * alignment;
}

/// Calls size_bytes(). Throws Error (usage) if it returns more than the address space of a process. Like the
/// other functions in this file, throws an Error that names the object if the program's function throws.
SizedObject size_of(ObjectId id, const ObjectTransport& transport);
/// Packs objects one after the other into `packet`, which has guard_bytes more than they need. Throws Error
/// (usage) if pack() does not write exactly the object's bytes.
void pack_objects(std::span<const SizedObject> objects, std::span<std::byte> packet,
                  const ObjectTransport& transport);
/// Unpacks objects and passes each to `unpacked(id)` as soon as it exists. Throws Error (usage) if unpack()
/// does not read exactly the object's bytes.
void unpack_objects(std::span<const SizedObject> objects, std::span<const std::byte> packet,
                    const ObjectTransport& transport, const std::function<void(ObjectId)>& unpacked);
/// Calls remove(), if the program has one.
void remove_object(ObjectId id, const ObjectTransport& transport);

/// Objects that one rank sends to another. Both ranks have the same queue, and therefore agree on the content
/// of every round and of every packet without further messages.
struct ObjectQueue {
  int peer = 0;                         ///< the other rank
  std::vector<SizedObject> objects;     ///< in the order of their transfer
  std::size_t max_bytes_per_round = 0;  ///< may be exceeded by a single object
  std::size_t next = 0;                 ///< first object of the next round
};

/// Consecutive objects of a queue that travel in one message.
struct Packet {
  std::size_t queue = 0;  ///< position of the queue in its list
  std::size_t first = 0;  ///< position of the first object in the queue
  std::size_t last = 0;   ///< position behind the last object
  std::size_t bytes = 0;  ///< size of the aligned objects
};

/// Removes the objects of the next round from queue number `number` and returns their packets. Returns
/// nothing if the queue is empty.
std::vector<Packet> take_round(ObjectQueue& queue, std::size_t number);
/// Returns the number of rounds that a queue needs.
int count_rounds(ObjectQueue queue);

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
