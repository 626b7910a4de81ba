#pragma once

#include <cstddef>
#include <vector>

#include "runtime/balancing/object_packing.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

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
