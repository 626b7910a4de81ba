#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <memory>
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

}  // namespace plimsoll::objects
