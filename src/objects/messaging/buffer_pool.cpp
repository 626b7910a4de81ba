#include "objects/messaging/buffer_pool.hpp"

#include <bit>
#include <utility>

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
}

}  // namespace plimsoll::objects
