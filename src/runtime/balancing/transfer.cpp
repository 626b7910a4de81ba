#include "runtime/balancing/transfer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/recording/object_registry.hpp"

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

/// Size of packets of small objects: several of them fit in the cache of a core.
constexpr std::size_t packet_bytes = std::size_t{1} << 20;
/// Packets per round and queue, so that some can be packed or unpacked while others are under way.
constexpr std::size_t packets_per_round = 4;

/// Below the tags of the module mpi.
constexpr int packet_tag = 32'600;
/// Packets of one rank, and from one rank, that are under way at the same time.
constexpr std::size_t packets_in_flight = 4;

/// Sorts the packets of several queues so that all queues progress at the same speed.
std::vector<Packet> in_turn(std::span<ObjectQueue> queues) {
  std::vector<std::vector<Packet>> packets;
  packets.reserve(queues.size());
  std::size_t longest = 0;
  for (std::size_t queue = 0; queue < queues.size(); ++queue) {
    packets.push_back(take_round(queues[queue], queue));
    longest = std::max(longest, packets.back().size());
  }
  std::vector<Packet> result;
  for (std::size_t position = 0; position < longest; ++position)
    for (const auto& of_queue : packets)
      if (position < of_queue.size()) result.push_back(of_queue[position]);
  return result;
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

Transfer::Transfer(const mpi::Communicator& communicator, std::vector<ObjectQueue>& outgoing,
                   std::vector<ObjectQueue>& incoming, const ObjectTransport& transport,
                   std::size_t piece_bytes)
    : communicator_(communicator),
      outgoing_(outgoing),
      incoming_(incoming),
      transport_(transport),
      piece_bytes_(piece_bytes) {}

void Transfer::Slot::reserve(std::size_t bytes) {
  if (bytes <= capacity && memory) return;
  memory.reset();
  memory = std::make_unique_for_overwrite<std::byte[]>(bytes);
  capacity = bytes;
}

std::size_t Transfer::pieces_of(const Packet& packet) const {
  return std::max<std::size_t>(1, (packet.bytes + piece_bytes_ - 1) / piece_bytes_);
}

/// Reserves slots from number `begin` on for these packets, each for any of them. Returns how many.
std::size_t Transfer::reserve_slots(std::size_t begin, std::span<const Packet> packets, std::size_t max_bytes,
                                    std::size_t extra_bytes) {
  std::size_t largest = 1;
  for (const Packet& packet : packets) {
    largest = std::max(largest, packet.bytes);
    pieces_per_slot_ = std::max(pieces_per_slot_, pieces_of(packet));
  }
  const std::size_t fitting = std::clamp<std::size_t>(max_bytes / largest, 1, packets_in_flight);
  const std::size_t count = std::min(fitting, packets.size());
  if (slots_.size() < begin + count) slots_.resize(begin + count);
  for (std::size_t slot = begin; slot < begin + count; ++slot) slots_[slot].reserve(largest + extra_bytes);
  return count;
}

void Transfer::start_round() {
  error_.reset();
  unpacked_.clear();
  sends_ = in_turn(outgoing_);
  next_send_ = 0;
  receives_.clear();
  receives_.reserve(incoming_.size());
  pieces_per_slot_ = 1;

  std::size_t max_bytes = 0;
  for (const ObjectQueue& queue : outgoing_) max_bytes += queue.max_bytes_per_round;
  n_send_slots_ = reserve_slots(0, sends_, max_bytes, guard_bytes);
  n_slots_ = n_send_slots_;
  std::size_t objects = 0;
  for (std::size_t queue = 0; queue < incoming_.size(); ++queue) {
    const auto& packets = receives_.emplace_back(take_round(incoming_[queue], queue));
    const std::size_t count = reserve_slots(n_slots_, packets, incoming_[queue].max_bytes_per_round, 0);
    for (std::size_t k = 0; k < count; ++k) slots_[n_slots_ + k].packet = &packets[k];
    n_slots_ += count;
    for (const Packet& packet : packets) objects += packet.last - packet.first;
  }
  next_receive_.assign(incoming_.size(), 0);
  unpacked_.reserve(objects);
  requests_.assign(n_slots_ * pieces_per_slot_, MPI_REQUEST_NULL);
  finished_.resize(requests_.size());
  statuses_.resize(requests_.size());
}

void Transfer::run_round() {
  for (std::size_t slot = n_send_slots_; slot < n_slots_; ++slot) receive(slot, *slots_[slot].packet);
  for (;;) {
    start_free_sends();
    int count = 0;
    mpi::check(MPI_Waitsome(static_cast<int>(requests_.size()), requests_.data(), &count, finished_.data(),
                            statuses_.data()),
               "MPI_Waitsome");
    if (count == MPI_UNDEFINED) return;  // nothing is under way
    for (int k = 0; k < count; ++k)
      finish_piece(static_cast<std::size_t>(finished_[k]) / pieces_per_slot_, statuses_[k]);
  }
}

void Transfer::start_free_sends() {
  for (std::size_t slot = 0; slot < n_send_slots_ && next_send_ < sends_.size(); ++slot) {
    if (slots_[slot].unfinished > 0) continue;
    slots_[slot].packet = &sends_[next_send_++];
    send(slot);
  }
}

void Transfer::send(std::size_t number) {
  Slot& slot = slots_[number];
  PLIMSOLL_EXPECT(slot.unfinished == 0 && slot.capacity >= slot.packet->bytes + guard_bytes);
  const Packet& packet = *slot.packet;
  unless_failed([&] {
    pack_objects(objects_of(outgoing_, packet), {slot.memory.get(), packet.bytes + guard_bytes}, transport_);
  });
  slot.unfinished = pieces_of(packet);
  for (std::size_t piece = 0; piece < slot.unfinished; ++piece) {
    const std::size_t begin = piece * piece_bytes_;
    // The receiver recognises an error by the missing bytes.
    const std::size_t size = error_ ? 0 : std::min(piece_bytes_, packet.bytes - begin);
    mpi::check(
        MPI_Isend(slot.memory.get() + begin, static_cast<int>(size), MPI_BYTE, outgoing_[packet.queue].peer,
                  packet_tag, communicator_.handle(), &requests_[number * pieces_per_slot_ + piece]),
        "MPI_Isend");
  }
}

void Transfer::receive(std::size_t number, const Packet& packet) {
  Slot& slot = slots_[number];
  PLIMSOLL_EXPECT(slot.unfinished == 0 && slot.capacity >= packet.bytes);
  slot.packet = &packet;
  slot.received_bytes = 0;
  slot.unfinished = pieces_of(packet);
  ++next_receive_[packet.queue];
  for (std::size_t piece = 0; piece < slot.unfinished; ++piece) {
    const std::size_t begin = piece * piece_bytes_;
    const std::size_t size = std::min(piece_bytes_, packet.bytes - begin);
    mpi::check(
        MPI_Irecv(slot.memory.get() + begin, static_cast<int>(size), MPI_BYTE, incoming_[packet.queue].peer,
                  packet_tag, communicator_.handle(), &requests_[number * pieces_per_slot_ + piece]),
        "MPI_Irecv");
  }
}

void Transfer::finish_piece(std::size_t number, const MPI_Status& status) {
  Slot& slot = slots_[number];
  PLIMSOLL_EXPECT(slot.unfinished > 0);
  --slot.unfinished;
  if (number < n_send_slots_) return;
  int count = 0;
  mpi::check(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count");
  slot.received_bytes += static_cast<std::size_t>(count);
  if (slot.unfinished > 0) return;
  unpack(slot);
  const std::size_t queue = slot.packet->queue;
  if (next_receive_[queue] < receives_[queue].size()) receive(number, receives_[queue][next_receive_[queue]]);
}

void Transfer::unpack(const Slot& slot) {
  if (slot.received_bytes != slot.packet->bytes) return;  // its sender reports the error
  unless_failed([&] {
    unpack_objects(objects_of(incoming_, *slot.packet), {slot.memory.get(), slot.packet->bytes}, transport_,
                   [&](ObjectId id) { unpacked_.push_back(id); });
  });
}

void Transfer::finish_round() {
  for (const Packet& packet : sends_) {
    for (const SizedObject& object : objects_of(outgoing_, packet)) {
      try {
        remove_object(object.id, transport_);
      } catch (const Error& error) {
        if (!error_) error_ = error;
      }
    }
  }
  if (error_) throw Error(*error_);
}

void Transfer::undo_round() {
  for (const ObjectId id : unpacked_) {
    try {
      remove_object(id, transport_);
    } catch (const Error&) {
      continue;  // the caller reports the error that failed the round
    }
  }
}

std::span<const SizedObject> Transfer::objects_of(const std::vector<ObjectQueue>& queues,
                                                  const Packet& packet) const {
  return std::span(queues[packet.queue].objects).subspan(packet.first, packet.last - packet.first);
}

template <class Work>
void Transfer::unless_failed(const Work& work) {
  if (error_) return;
  try {
    work();
  } catch (...) {
    error_ = support::current_error();
  }
}

}  // namespace plimsoll::runtime
