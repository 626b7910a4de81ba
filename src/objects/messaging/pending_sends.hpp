#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "objects/messaging/buffer_pool.hpp"

namespace plimsoll::inline v0_1::objects {

/// Buffers that are being sent.
class PendingSends {
 public:
  /// Starts to send a buffer as `count` values of `type`. Throws Error (system) if MPI fails.
  void start(Buffer buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator);
  /// Returns buffers that have been sent to the pool. Tests only some of the buffers, so that the cost does
  /// not grow with their number; the next call tests others.
  void recycle(BufferPool& pool);
  bool empty() const { return requests_.empty(); }
  /// Size of the buffers, in bytes.
  std::size_t bytes() const { return bytes_; }

 private:
  std::vector<MPI_Request> requests_;
  std::vector<Buffer> buffers_;  ///< one per request
  std::size_t bytes_ = 0;
  std::size_t next_ = 0;  ///< first buffer to test
};

}  // namespace plimsoll::objects
