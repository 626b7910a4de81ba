#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

/// Memory for messages to or from one rank. It begins at an address aligned for any type of C++.
struct Buffer {
  std::unique_ptr<std::byte[]> memory;
  std::size_t capacity = 0;
  std::size_t used = 0;
};

/// Keeps unused buffers, so that messages are sent and received without an allocation each. Its buffers have
/// sizes of `buffer_bytes` times a power of two.
class BufferPool {
 public:
  /// Maximum size of all unused buffers together, in bytes. Larger buffers are never kept.
  static constexpr std::size_t max_unused_bytes = std::size_t{16} << 20;

  explicit BufferPool(std::size_t buffer_bytes) : buffer_bytes_(buffer_bytes) {}

  /// Returns an empty buffer of at least this size. Throws std::bad_alloc.
  Buffer take(std::size_t bytes);
  /// Keeps the buffer, or frees its memory if enough buffers are unused.
  void give_back(Buffer buffer) noexcept;

 private:
  std::size_t size_class(std::size_t bytes) const;

  std::size_t buffer_bytes_;
  std::size_t unused_bytes_ = 0;
  std::array<std::vector<Buffer>, std::numeric_limits<std::size_t>::digits> unused_;  ///< by size class
};

/// Memory that is being sent: buffers, and memory of other owners.
class PendingSends {
 public:
  /// A buffer, or memory of another owner, which is released when it has been sent.
  struct Memory {
    Buffer buffer;                      ///< empty if the memory has another owner
    std::shared_ptr<const void> owner;  ///< or null
    std::size_t bytes = 0;
  };
  /// Starts to send memory from this address, as `count` values of `type`. Throws Error (system) if MPI
  /// fails.
  void start(Memory memory, const void* address, int count, MPI_Datatype type, int to, int tag,
             MPI_Comm communicator);
  /// Returns buffers that have been sent to the pool, and releases other memory. Tests only some of the
  /// buffers, so that the cost does not grow with their number; the next call tests others.
  void recycle(BufferPool& pool);
  bool empty() const { return requests_.empty(); }
  /// Size of the memory, in bytes.
  std::size_t bytes() const { return bytes_; }

 private:
  std::vector<MPI_Request> requests_;
  std::vector<Memory> memory_;  ///< one per request
  std::size_t bytes_ = 0;
  std::size_t next_ = 0;  ///< first buffer to test
};

/// Messages of any number of bytes between ranks. Messages to one rank are collected in a buffer, which is
/// sent when it is full. Large parts of messages are sent from their own memory. Messages from one rank to
/// another keep their order.
///
/// Sending does not wait for the receiver, unless on_congestion() makes it. The memory in use is therefore
/// proportional to the messages that other ranks have not received yet, plus one buffer per rank that
/// messages are collected for, plus at most 16 MiB of unused buffers. Not thread-safe.
class MessageExchange {
 public:
  /// Maximum size of a message, in bytes: almost 32 GiB.
  static const std::size_t max_message_bytes;
  /// Number of bytes under way to other ranks above which the exchange is congested.
  static constexpr std::size_t max_unsent_bytes = std::size_t{64} << 20;

  /// `communicator` must outlive this object, and may be used for anything but another MessageExchange.
  /// Throws Error (system) if MPI fails, as do all members.
  explicit MessageExchange(const mpi::Communicator& communicator,
                           std::size_t buffer_bytes = std::size_t{32} * 1024);
  MessageExchange(const MessageExchange&) = delete;
  MessageExchange& operator=(const MessageExchange&) = delete;
  /// Collective: waits until all ranks have called it, and discards messages that have not been delivered.
  /// Does nothing after MPI_Finalize.
  ~MessageExchange();

  /// Adds a message of `bytes` bytes to another rank, and returns the memory for its content, aligned to 16
  /// bytes. The caller fills it before it calls any other member. Throws Error (usage) above
  /// max_message_bytes, and std::bad_alloc; the message is not added then.
  std::span<std::byte> append(int rank, std::size_t bytes) {
    PLIMSOLL_EXPECT(rank >= 0 && rank < communicator_.size() && rank != communicator_.rank());
    Buffer& buffer = filling_[static_cast<std::size_t>(rank)];
    if (!has_room(buffer, bytes)) make_room(rank, bytes);
    std::byte* const header = buffer.memory.get() + buffer.used;
    put({.bytes = bytes}, header);
    buffer.used += block_bytes + padded(bytes);
    ++sent_;
    return {header + block_bytes, bytes};
  }

  /// Part of a message that is sent without a copy.
  struct Part {
    std::shared_ptr<const void> owner;  ///< of the memory; released when it has been sent
    std::span<const std::byte> bytes;
    std::size_t position = 0;  ///< number of bytes of the rest that precede it
  };
  /// Sends a message that consists of `part` and the rest. The receiver gets it in one piece. Throws like the
  /// other append().
  void append(int rank, std::span<const std::byte> rest, Part part);

  /// Sends all partly filled buffers.
  void flush();

  /// Makes append() and flush() call `wait` before they send a buffer while the exchange is congested. `wait`
  /// may call relieve() until it is not.
  void on_congestion(std::function<void()> wait) { wait_ = std::move(wait); }
  bool is_congested() const { return sends_.bytes() > max_unsent_bytes; }
  /// Size of the buffers that are under way to other ranks, in bytes.
  std::size_t unsent_bytes() const { return sends_.bytes(); }
  /// Whether as much has arrived that has not been delivered. The caller should then call receive() before it
  /// sends more.
  bool is_flooded() const { return arrived_bytes_ > max_unsent_bytes; }
  /// Notices what other ranks have received, and receives what they have sent, which is delivered later. Two
  /// ranks that wait for each other therefore both go on.
  void relieve();

  /// Calls `deliver(int from, std::span<const std::byte> message)` for messages that have arrived, and
  /// returns whether it did. Messages are aligned to 16 bytes and valid until `deliver` returns.
  /// `deliver` may call append() and flush(), but not receive(). A message is delivered once, even if
  /// `deliver` throws: the exception is rethrown, and the next call of receive() delivers the messages that
  /// follow. Throws std::bad_alloc if memory for a message is exhausted; the message is lost then.
  template <class Deliver>
  bool receive(Deliver&& deliver);

  /// Number of messages that were appended.
  std::int64_t sent() const { return sent_; }
  /// Number of messages that were delivered, including those for which `deliver` threw.
  std::int64_t received() const { return received_; }

 private:
  /// A message starts with a block that contains its size, and is padded to whole blocks.
  struct Header {
    std::uint64_t bytes = 0;       ///< size of the message, without that of its part
    std::uint64_t part_bytes = 0;  ///< size of the part that follows as an MPI message of its own
  };
  static constexpr std::size_t block_bytes = 16;
  static_assert(sizeof(Header) == block_bytes);
  /// Number of buffers that are received at the same time, unless the exchange is congested.
  static constexpr std::size_t usual_arrivals = 8;

  /// Buffer that is being received, or partly delivered.
  struct Arrival {
    int from = 0;
    Buffer buffer;
    MPI_Request request = MPI_REQUEST_NULL;
    bool has_header = false;  ///< whether the buffer has been received; its part may be under way
    std::size_t delivered_bytes = 0;
  };

  static std::size_t padded(std::size_t bytes) {
    return (bytes + block_bytes - 1) / block_bytes * block_bytes;
  }
  static bool has_room(const Buffer& buffer, std::size_t bytes) {
    // Sizes of buffers are multiples of a block, so that the padding of a message fits if its bytes do.
    const std::size_t room = buffer.capacity - buffer.used;
    return room >= block_bytes && room - block_bytes >= bytes;
  }

  static void put(const Header& header, std::byte* to) { std::memcpy(to, &header, sizeof header); }
  static Header header_at(const std::byte* from) {
    Header header;
    std::memcpy(&header, from, sizeof header);
    return header;
  }

  static void expect_size(std::size_t bytes);
  void make_room(int rank, std::size_t bytes);
  void send(int rank);
  void start_sending(Buffer buffer, int rank);
  void accept_arrivals(std::size_t max_arrivals);
  /// Returns whether an earlier arrival from the same sender satisfies a condition.
  template <class Condition>
  bool is_preceded_by(std::size_t position, const Condition& condition) const;
  bool is_complete(std::size_t position);
  void receive_part(Arrival& arrival, const Header& header);
  std::optional<std::size_t> next_complete_arrival();
  std::span<const std::byte> next_message(Arrival& arrival);
  void finish(std::size_t position);
  void discard_messages();

  const mpi::Communicator& communicator_;
  std::size_t buffer_bytes_;
  MPI_Datatype block_type_ = MPI_DATATYPE_NULL;
  BufferPool pool_;
  std::vector<Buffer> filling_;  ///< one per rank; without memory if empty
  std::vector<int> to_flush_;    ///< ranks with a buffer that is being filled
  PendingSends sends_;
  std::function<void()> wait_;
  std::deque<Arrival> arrivals_;   ///< in the order in which MPI matched them
  std::size_t arrived_bytes_ = 0;  ///< size of their buffers
  std::int64_t sent_ = 0;
  std::int64_t received_ = 0;
};

template <class Deliver>
bool MessageExchange::receive(Deliver&& deliver) {
  const std::int64_t received_before = received_;
  sends_.recycle(pool_);
  accept_arrivals(usual_arrivals);
  while (const std::optional<std::size_t> first = next_complete_arrival()) {
    const std::size_t k = *first;  // `deliver` may add arrivals, which moves this one in memory
    while (arrivals_[k].delivered_bytes < arrivals_[k].buffer.used)
      deliver(arrivals_[k].from, next_message(arrivals_[k]));
    finish(k);
  }
  return received_ != received_before;
}

inline std::span<const std::byte> MessageExchange::next_message(Arrival& arrival) {
  const std::byte* const header = arrival.buffer.memory.get() + arrival.delivered_bytes;
  const std::size_t bytes = header_at(header).bytes;
  arrival.delivered_bytes += block_bytes + padded(bytes);
  ++received_;
  return {header + block_bytes, bytes};
}

}  // namespace plimsoll::objects
