#include <plimsoll/objects/local_queue.hpp>

namespace plimsoll::inline v0_1::objects {

namespace {

constexpr std::size_t max_spare_chunks = 16;

}  // namespace

// Returns memory at end_, which is moved to the next chunk if this one is too short.
std::byte* LocalQueue::room(std::size_t bytes) {
  const std::size_t used = end_ % chunk_bytes;
  if (used != 0 && used + bytes > chunk_bytes) {
    new (at(end_)) Entry{nullptr, 0};
    end_ = next_chunk(end_);
  }
  if (end_ / chunk_bytes == chunks_.size())
    chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(chunk_bytes));
  return at(end_);
}

// Moves chunks before the first message to the end.
void LocalQueue::recycle() {
  while (first_ >= chunk_bytes) {
    std::unique_ptr<std::byte[]> chunk = std::move(chunks_.front());
    chunks_.pop_front();
    first_ -= chunk_bytes;
    end_ -= chunk_bytes;
    if (chunks_.size() < end_ / chunk_bytes + max_spare_chunks) chunks_.push_back(std::move(chunk));
  }
}

}  // namespace plimsoll::objects
