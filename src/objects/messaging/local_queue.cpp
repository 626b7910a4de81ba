#include <plimsoll/objects/local_queue.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

namespace {

constexpr std::size_t max_spare_chunks = 16;

}  // namespace

// Returns the position of the next message: end_, or the next chunk if this one is too short.
std::size_t LocalQueue::position_for(std::size_t bytes) {
  const std::size_t used = end_ % chunk_bytes;
  const std::size_t position = used != 0 && used + bytes > chunk_bytes ? next_chunk(end_) : end_;
  if (position / chunk_bytes == chunks_.size())
    chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(chunk_bytes));
  return position;
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
