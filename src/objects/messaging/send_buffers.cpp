#include "objects/messaging/send_buffers.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/support/contract.hpp>

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

void PendingSends::start(Buffer buffer, int count, MPI_Datatype type, int to, int tag,
                         MPI_Comm communicator) {
  const void* const address = buffer.memory.get();
  const std::size_t bytes = buffer.capacity;
  start({.buffer = std::move(buffer), .owner = nullptr, .bytes = bytes}, address, count, type, to, tag,
        communicator);
}

void PendingSends::start(std::shared_ptr<const void> owner, std::span<const std::byte> bytes, int count,
                         MPI_Datatype type, int to, int tag, MPI_Comm communicator) {
  start({.buffer = {}, .owner = std::move(owner), .bytes = bytes.size()}, bytes.data(), count, type, to, tag,
        communicator);
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

}  // namespace plimsoll::objects
