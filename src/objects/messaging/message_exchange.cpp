#include "objects/messaging/message_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <climits>
#include <limits>
#include <utility>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

std::size_t BufferPool::size_class(std::size_t bytes) const {
  return bytes <= buffer_bytes_ ? 0 : static_cast<std::size_t>(std::bit_width((bytes - 1) / buffer_bytes_));
}

Buffer BufferPool::take(std::size_t bytes) {
  if (bytes > max_unused_bytes) return {std::make_unique_for_overwrite<std::byte[]>(bytes), bytes};
  const std::size_t size = size_class(bytes);
  std::vector<Buffer>& unused = unused_[size];
  if (unused.empty()) {
    const std::size_t capacity = buffer_bytes_ << size;
    // give_back() must not allocate.
    unused.reserve(max_unused_bytes / capacity + 1);
    return {std::make_unique_for_overwrite<std::byte[]>(capacity), capacity};
  }
  Buffer buffer = std::move(unused.back());
  unused.pop_back();
  unused_bytes_ -= buffer.capacity;
  return buffer;
}

void BufferPool::give_back(Buffer buffer) noexcept {
  if (buffer.capacity > max_unused_bytes - unused_bytes_) return;
  buffer.used = 0;
  unused_bytes_ += buffer.capacity;
  unused_[size_class(buffer.capacity)].push_back(std::move(buffer));
  PLIMSOLL_ENSURE(unused_bytes_ <= max_unused_bytes);
}

void PendingSends::start(Memory memory, const void* address, int count, MPI_Datatype type, int to, int tag,
                         MPI_Comm communicator) {
  bytes_ += memory.bytes;
  memory_.push_back(std::move(memory));
  requests_.push_back(MPI_REQUEST_NULL);
  mpi::check(MPI_Isend(address, count, type, to, tag, communicator, &requests_.back()), "MPI_Isend");
}

void PendingSends::recycle(BufferPool& pool) {
  constexpr std::size_t max_tested = 16;
  if (requests_.empty()) return;
  if (next_ >= requests_.size()) next_ = 0;
  const std::size_t end = std::min(next_ + max_tested, requests_.size());
  std::array<int, max_tested> positions{};
  int count = 0;
  mpi::check(MPI_Testsome(static_cast<int>(end - next_), &requests_[next_], &count, positions.data(),
                          MPI_STATUSES_IGNORE),
             "MPI_Testsome");
  for (std::size_t k = end; k-- > next_;) {
    if (requests_[k] != MPI_REQUEST_NULL) continue;
    bytes_ -= memory_[k].bytes;
    if (memory_[k].owner == nullptr) pool.give_back(std::move(memory_[k].buffer));
    std::swap(requests_[k], requests_.back());
    std::swap(memory_[k], memory_.back());
    requests_.pop_back();
    memory_.pop_back();
  }
  PLIMSOLL_ENSURE(memory_.size() == requests_.size());
  next_ = end;
}

namespace {

/// Below the tags of the module runtime, whose communicator may be the same.
constexpr int message_tag = 31'000;
constexpr int part_tag = 31'001;

}  // namespace

// Counts of MPI-3 are 32-bit integers, and a count here is one of blocks.
const std::size_t MessageExchange::max_message_bytes = std::size_t{INT_MAX} * block_bytes - block_bytes;

MessageExchange::MessageExchange(const mpi::Communicator& communicator, std::size_t buffer_bytes)
    : communicator_(communicator),
      buffer_bytes_(padded(std::max(buffer_bytes, 2 * block_bytes))),
      pool_(buffer_bytes_),
      filling_(static_cast<std::size_t>(communicator.size())) {
  mpi::check(MPI_Type_contiguous(block_bytes, MPI_BYTE, &block_type_), "MPI_Type_contiguous");
  mpi::check(MPI_Type_commit(&block_type_), "MPI_Type_commit");
}

MessageExchange::~MessageExchange() {
  if (mpi::finalised()) return;
  try {
    discard_messages();
  } catch (...) {  // MPI has failed, or memory is exhausted: the other ranks cannot be waited for
  }
  MPI_Type_free(&block_type_);
}

void MessageExchange::expect_size(std::size_t bytes) {
  if (bytes > max_message_bytes) {
    throw support::usage_error(
        fmt::format("message of {} bytes is too large: must be <= {}", bytes, max_message_bytes),
        "use several messages");
  }
}

void MessageExchange::make_room(int rank, std::size_t bytes) {
  expect_size(bytes);
  Buffer& buffer = filling_[static_cast<std::size_t>(rank)];
  if (buffer.memory)
    send(rank);
  else
    to_flush_.push_back(rank);
  buffer = pool_.take(std::max(buffer_bytes_, block_bytes + padded(bytes)));
}

void MessageExchange::flush() {
  for (; !to_flush_.empty(); to_flush_.pop_back()) send(to_flush_.back());
}

void MessageExchange::send(int rank) {
  Buffer buffer = std::exchange(filling_[static_cast<std::size_t>(rank)], {});
  if (!buffer.memory) return;  // make_room() has failed to allocate it
  start_sending(std::move(buffer), rank);
}

void MessageExchange::start_sending(Buffer buffer, int rank) {
  sends_.recycle(pool_);
  if (is_congested() && wait_) wait_();
  PLIMSOLL_EXPECT(buffer.used % block_bytes == 0);
  const int blocks = static_cast<int>(buffer.used / block_bytes);
  const void* const address = buffer.memory.get();
  const std::size_t bytes = buffer.capacity;
  sends_.start({.buffer = std::move(buffer), .owner = nullptr, .bytes = bytes}, address, blocks, block_type_,
               rank, message_tag, communicator_.handle());
}

// A message with a part is sent in a buffer of its own: header, position of the part, rest, and the end of
// the part, of which MPI sends whole blocks only.
void MessageExchange::append(int rank, std::span<const std::byte> rest, Part part) {
  PLIMSOLL_EXPECT(part.position <= rest.size() && !part.bytes.empty());
  expect_size(rest.size() + part.bytes.size());
  const std::size_t whole_bytes = part.bytes.size() / block_bytes * block_bytes;
  const std::span<const std::byte> end = part.bytes.subspan(whole_bytes);
  const std::size_t bytes = 2 * block_bytes + padded(rest.size() + end.size());
  Buffer buffer = pool_.take(bytes);
  put({.bytes = rest.size(), .part_bytes = part.bytes.size()}, buffer.memory.get());
  std::memcpy(buffer.memory.get() + block_bytes, &part.position, sizeof part.position);
  std::byte* const content = buffer.memory.get() + 2 * block_bytes;
  std::ranges::copy(end, std::ranges::copy(rest, content).out);
  buffer.used = bytes;

  send(rank);  // what precedes this message
  std::erase(to_flush_, rank);
  start_sending(std::move(buffer), rank);
  sends_.start({.buffer = {}, .owner = std::move(part.owner), .bytes = part.bytes.size()}, part.bytes.data(),
               static_cast<int>(whole_bytes / block_bytes), block_type_, rank, part_tag,
               communicator_.handle());
  ++sent_;
}

void MessageExchange::relieve() {
  sends_.recycle(pool_);
  accept_arrivals(std::numeric_limits<std::size_t>::max());
  // MPI makes progress with a message when its request is tested.
  for (std::size_t k = 0; k < arrivals_.size(); ++k) is_complete(k);
}

/// Receives what other ranks have sent until no rank is sending. MPI_Finalize of MPICH waits forever for a
/// message that is not received.
void MessageExchange::discard_messages() {
  MPI_Request barrier = MPI_REQUEST_NULL;
  int all_have_sent = 0;
  for (mpi::Backoff backoff; all_have_sent == 0 || !arrivals_.empty(); backoff.pause()) {
    receive([](int, std::span<const std::byte>) {});
    if (!sends_.empty() || all_have_sent != 0) continue;
    if (barrier == MPI_REQUEST_NULL)
      mpi::check(MPI_Ibarrier(communicator_.handle(), &barrier), "MPI_Ibarrier");
    mpi::check(MPI_Test(&barrier, &all_have_sent, MPI_STATUS_IGNORE), "MPI_Test");
  }
}

/// Begins to receive the buffers that other ranks have sent.
void MessageExchange::accept_arrivals(std::size_t max_arrivals) {
  while (arrivals_.size() < max_arrivals) {
    int has_arrived = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    mpi::check(
        MPI_Improbe(MPI_ANY_SOURCE, message_tag, communicator_.handle(), &has_arrived, &message, &status),
        "MPI_Improbe");
    if (has_arrived == 0) return;
    int blocks = 0;
    mpi::check(MPI_Get_count(&status, block_type_, &blocks), "MPI_Get_count");
    const std::size_t bytes = static_cast<std::size_t>(blocks) * block_bytes;
    Arrival& arrival = arrivals_.emplace_back();
    arrival.from = status.MPI_SOURCE;
    arrival.buffer = pool_.take(bytes);
    arrival.buffer.used = bytes;
    arrived_bytes_ += bytes;
    // Not MPI_Mrecv, because it may wait until the sender, which may be busy, calls MPI again.
    mpi::check(MPI_Imrecv(arrival.buffer.memory.get(), blocks, block_type_, &message, &arrival.request),
               "MPI_Imrecv");
  }
}

template <class Condition>
bool MessageExchange::is_preceded_by(std::size_t position, const Condition& condition) const {
  const auto end = arrivals_.begin() + static_cast<std::ptrdiff_t>(position);
  return std::any_of(arrivals_.begin(), end, [&](const Arrival& earlier) {
    return earlier.from == arrivals_[position].from && condition(earlier);
  });
}

/// Tests whether a buffer has been received, and its part, if it has one.
bool MessageExchange::is_complete(std::size_t position) {
  Arrival& arrival = arrivals_[position];
  // MPI matches the parts of one sender in the order in which their receipt starts.
  const auto has_no_header = [](const Arrival& earlier) { return !earlier.has_header; };
  if (!arrival.has_header && is_preceded_by(position, has_no_header)) return false;
  int is_complete = 0;
  mpi::check(MPI_Test(&arrival.request, &is_complete, MPI_STATUS_IGNORE), "MPI_Test");
  if (is_complete == 0) return false;
  if (arrival.has_header) return true;
  const Header header = header_at(arrival.buffer.memory.get());
  if (header.part_bytes > 0) receive_part(arrival, header);
  arrival.has_header = true;
  return header.part_bytes == 0;
}

/// Replaces the buffer of a message without its part by one with room for the part, and starts to receive it.
void MessageExchange::receive_part(Arrival& arrival, const Header& header) {
  const std::byte* const rest = arrival.buffer.memory.get() + 2 * block_bytes;
  std::size_t part_position = 0;
  std::memcpy(&part_position, rest - block_bytes, sizeof part_position);
  PLIMSOLL_EXPECT(part_position <= header.bytes);
  const std::size_t whole_bytes = header.part_bytes / block_bytes * block_bytes;
  const std::size_t bytes = header.bytes + header.part_bytes;

  Buffer whole = pool_.take(block_bytes + padded(bytes));
  whole.used = block_bytes + padded(bytes);
  arrived_bytes_ += whole.used - arrival.buffer.used;
  put({.bytes = bytes}, whole.memory.get());
  std::byte* const content = whole.memory.get() + block_bytes;
  std::byte* const part = std::copy_n(rest, part_position, content);
  std::byte* const after =
      std::copy_n(rest + header.bytes, header.part_bytes - whole_bytes, part + whole_bytes);
  std::copy_n(rest + part_position, header.bytes - part_position, after);
  mpi::check(MPI_Irecv(part, static_cast<int>(whole_bytes / block_bytes), block_type_, arrival.from, part_tag,
                       communicator_.handle(), &arrival.request),
             "MPI_Irecv");
  pool_.give_back(std::exchange(arrival.buffer, std::move(whole)));
}

std::optional<std::size_t> MessageExchange::next_complete_arrival() {
  for (std::size_t k = 0; k < arrivals_.size(); ++k)
    if (!is_preceded_by(k, [](const Arrival&) { return true; }) && is_complete(k)) return k;
  return {};
}

void MessageExchange::finish(std::size_t position) {
  PLIMSOLL_EXPECT(arrivals_[position].delivered_bytes == arrivals_[position].buffer.used);
  arrived_bytes_ -= arrivals_[position].buffer.used;
  pool_.give_back(std::move(arrivals_[position].buffer));
  arrivals_.erase(arrivals_.begin() + static_cast<std::ptrdiff_t>(position));
}

}  // namespace plimsoll::objects
