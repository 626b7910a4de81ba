#include "runtime/balancing/object_queue.hpp"

#include <algorithm>

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

/// Size of packets of small objects: several of them fit in the cache of a core.
constexpr std::size_t packet_bytes = std::size_t{1} << 20;
/// Packets per round and queue, so that some can be packed or unpacked while others are under way.
constexpr std::size_t packets_per_round = 4;

}  // namespace

std::vector<Packet> take_round(ObjectQueue& queue, std::size_t number) {
  const std::size_t max_packet = std::min(packet_bytes, queue.max_bytes_per_round / packets_per_round);
  std::vector<Packet> packets;
  std::size_t total = 0;
  for (; queue.next < queue.objects.size(); ++queue.next) {
    const std::size_t bytes = aligned_bytes(queue.objects[queue.next].bytes);
    const bool is_first = packets.empty();
    if (!is_first && total + bytes > queue.max_bytes_per_round) break;
    if (is_first || packets.back().bytes + bytes > max_packet)
      packets.push_back({number, queue.next, queue.next, 0});
    packets.back().last = queue.next + 1;
    packets.back().bytes += bytes;
    total += bytes;
  }
  return packets;
}

int count_rounds(ObjectQueue queue) {
  int rounds = 0;
  while (!take_round(queue, 0).empty()) ++rounds;
  return rounds;
}

}  // namespace plimsoll::runtime
