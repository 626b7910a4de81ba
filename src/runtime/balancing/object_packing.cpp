#include "runtime/balancing/object_packing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/recording/object_entity.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

constexpr std::byte guard_byte{0xa5};
/// The address space of a process. Larger sizes are errors, and their sums might overflow.
constexpr std::size_t max_object_bytes = std::size_t{1} << 48;

/// Calls a function of the program for an object, and adds the names of both to its exceptions.
template <class Function>
auto call_for_object(const char* name, ObjectId id, const Function& function) {
  try {
    return function();
  } catch (...) {
    const Error error = support::current_error();
    Diagnostic diagnostic = error.diagnostic();
    diagnostic.what = fmt::format("{}() of {} failed: {}", name, name_of(id), diagnostic.what);
    throw Error(error.kind(), std::move(diagnostic));
  }
}

void pack_object(const SizedObject& object, std::span<std::byte> bytes_and_guard,
                 const ObjectTransport& transport) {
  PLIMSOLL_EXPECT(bytes_and_guard.size() >= object.bytes + guard_bytes);
  const auto guard = bytes_and_guard.subspan(object.bytes, guard_bytes);
  std::ranges::fill(guard, guard_byte);
  const std::size_t written = call_for_object(
      "pack", object.id, [&] { return transport.pack(object.id, bytes_and_guard.first(object.bytes)); });
  if (std::ranges::any_of(guard, [](std::byte byte) { return byte != guard_byte; })) {
    throw support::usage_error(
        fmt::format("pack() of {} wrote past its {} bytes", name_of(object.id), object.bytes),
        "check that size_bytes() counts all data that pack() writes");
  }
  if (written != object.bytes) {
    throw support::usage_error(fmt::format("pack() of {} returned {} bytes, but size_bytes() returned {}",
                                           name_of(object.id), written, object.bytes),
                               "check that both count the same data");
  }
}

void unpack_object(const SizedObject& object, std::span<const std::byte> bytes,
                   const ObjectTransport& transport, const std::function<void(ObjectId)>& unpacked) {
  const std::size_t read =
      call_for_object("unpack", object.id, [&] { return transport.unpack(object.id, bytes); });
  unpacked(object.id);
  if (read == object.bytes) return;
  throw support::usage_error(fmt::format("unpack() of {} read {} bytes, but the object has {}",
                                         name_of(object.id), read, object.bytes),
                             "check that unpack() reads the data that pack() writes");
}

}  // namespace

SizedObject size_of(ObjectId id, const ObjectTransport& transport) {
  const std::size_t bytes = call_for_object("size_bytes", id, [&] { return transport.size_bytes(id); });
  if (bytes <= max_object_bytes) return {id, bytes};
  throw support::usage_error(
      fmt::format("size_bytes() of {} returned {}: must be <= 2^48", name_of(id), bytes),
      "check for a negative number");
}

void pack_objects(std::span<const SizedObject> objects, std::span<std::byte> packet,
                  const ObjectTransport& transport) {
  std::size_t position = 0;
  for (const SizedObject& object : objects) {
    pack_object(object, packet.subspan(position), transport);
    position += aligned_bytes(object.bytes);
  }
}

void unpack_objects(std::span<const SizedObject> objects, std::span<const std::byte> packet,
                    const ObjectTransport& transport, const std::function<void(ObjectId)>& unpacked) {
  std::size_t position = 0;
  for (const SizedObject& object : objects) {
    unpack_object(object, packet.subspan(position, object.bytes), transport, unpacked);
    position += aligned_bytes(object.bytes);
  }
}

void remove_object(ObjectId id, const ObjectTransport& transport) {
  if (transport.remove) call_for_object("remove", id, [&] { transport.remove(id); });
}

namespace {

/// Size of packets of small objects: several of them fit in the cache of a core.
constexpr std::size_t packet_bytes = std::size_t{1} << 20;
/// Packets per round and queue, so that some can be packed or unpacked while others are under way.
constexpr std::size_t packets_per_round = 4;

}  // namespace

std::vector<Packet> take_round(ObjectQueue& queue, std::size_t number) {
  const std::size_t max_packet = std::min(packet_bytes, queue.max_bytes_per_round / packets_per_round);
  PLIMSOLL_EXPECT(queue.next <= queue.objects.size());
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
