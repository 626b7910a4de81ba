#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <vector>

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
  /// Starts to send a buffer as `count` values of `type`. Throws Error (system) if MPI fails.
  void start(Buffer buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator);
  /// Does the same for memory of another owner, which is released when it has been sent.
  void start(std::shared_ptr<const void> owner, std::span<const std::byte> bytes, int count,
             MPI_Datatype type, int to, int tag, MPI_Comm communicator);
  /// Returns buffers that have been sent to the pool, and releases other memory. Tests only some of the
  /// buffers, so that the cost does not grow with their number; the next call tests others.
  void recycle(BufferPool& pool);
  bool empty() const { return requests_.empty(); }
  /// Size of the memory, in bytes.
  std::size_t bytes() const { return bytes_; }

 private:
  struct Memory {
    Buffer buffer;                      ///< empty if the memory has another owner
    std::shared_ptr<const void> owner;  ///< or null
    std::size_t bytes = 0;
  };
  void start(Memory memory, const void* address, int count, MPI_Datatype type, int to, int tag,
             MPI_Comm communicator);

  std::vector<MPI_Request> requests_;
  std::vector<Memory> memory_;  ///< one per request
  std::size_t bytes_ = 0;
  std::size_t next_ = 0;  ///< first buffer to test
};

}  // namespace plimsoll::objects
