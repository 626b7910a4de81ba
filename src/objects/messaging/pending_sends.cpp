#include "objects/messaging/pending_sends.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <plimsoll/mpi/communicator.hpp>

namespace plimsoll::inline v0_1::objects {

void PendingSends::start(Buffer buffer, int count, MPI_Datatype type, int to, int tag,
                         MPI_Comm communicator) {
  bytes_ += buffer.capacity;
  buffers_.push_back(std::move(buffer));
  requests_.push_back(MPI_REQUEST_NULL);
  mpi::check(MPI_Isend(buffers_.back().memory.get(), count, type, to, tag, communicator, &requests_.back()),
             "MPI_Isend");
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
    bytes_ -= buffers_[k].capacity;
    pool.give_back(std::move(buffers_[k]));
    std::swap(requests_[k], requests_.back());
    std::swap(buffers_[k], buffers_.back());
    requests_.pop_back();
    buffers_.pop_back();
  }
  next_ = end;
}

}  // namespace plimsoll::objects
