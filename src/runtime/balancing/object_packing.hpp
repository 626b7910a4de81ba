#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include <plimsoll/runtime/migration.hpp>

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

}  // namespace plimsoll::runtime
