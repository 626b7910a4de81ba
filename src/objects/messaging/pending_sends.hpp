#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "objects/messaging/buffer_pool.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

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
