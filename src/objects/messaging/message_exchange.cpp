#include "objects/messaging/message_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <limits>
#include <utility>

#include <plimsoll/mpi/backoff.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::inline v0_1::objects {

namespace {

/// Below the tags of the module runtime (runtime/tags.hpp), whose communicator may be the same.
constexpr int message_tag = 31'000;

}  // namespace

// Counts of MPI-3 are 32-bit integers, and a count here is one of blocks.
const std::size_t MessageExchange::max_message_bytes = std::size_t{INT_MAX} * block_bytes - block_bytes;

MessageExchange::MessageExchange(const mpi::Communicator& communicator, std::size_t buffer_bytes)
    : communicator_(communicator),
      buffer_bytes_(padded(std::max(buffer_bytes, 2 * block_bytes))),
      pool_(buffer_bytes_),
      filling_(static_cast<std::size_t>(communicator.size())) {
  arrivals_.reserve(usual_arrivals);
  mpi::check(MPI_Type_contiguous(block_bytes, MPI_BYTE, &block_type_), "MPI_Type_contiguous");
  mpi::check(MPI_Type_commit(&block_type_), "MPI_Type_commit");
}

MessageExchange::~MessageExchange() {
  int mpi_is_finalised = 0;
  MPI_Finalized(&mpi_is_finalised);
  if (mpi_is_finalised != 0) return;
  try {
    discard_messages();
  } catch (...) {  // MPI has failed, or memory is exhausted: the other ranks cannot be waited for
  }
  MPI_Type_free(&block_type_);
}

void MessageExchange::make_room(int rank, std::size_t bytes) {
  if (bytes > max_message_bytes) {
    throw support::usage_error(
        fmt::format("message of {} bytes is too large: must be <= {}", bytes, max_message_bytes),
        "use several messages");
  }
  Buffer& buffer = filling_[static_cast<std::size_t>(rank)];
  if (buffer.memory)
    send(rank);
  else
    to_flush_.push_back(rank);
  buffer = pool_.take(std::max(buffer_bytes_, block_bytes + padded(bytes)));
}

void MessageExchange::flush() {
  for (; !to_flush_.empty(); to_flush_.pop_back()) send(to_flush_.back());
}

void MessageExchange::send(int rank) {
  Buffer buffer = std::exchange(filling_[static_cast<std::size_t>(rank)], {});
  if (!buffer.memory) return;  // make_room() has failed to allocate it
  sends_.recycle(pool_);
  if (is_congested() && wait_) wait_();
  const int blocks = static_cast<int>(buffer.used / block_bytes);
  sends_.start(std::move(buffer), blocks, block_type_, rank, message_tag, communicator_.handle());
}

void MessageExchange::relieve() {
  sends_.recycle(pool_);
  accept_arrivals(std::numeric_limits<std::size_t>::max());
  // MPI makes progress with a message when its request is tested.
  for (Arrival& arrival : arrivals_) is_complete(arrival);
}

/// Receives what other ranks have sent until no rank is sending. MPI_Finalize of MPICH waits forever for a
/// message that is not received.
void MessageExchange::discard_messages() {
  MPI_Request barrier = MPI_REQUEST_NULL;
  int all_have_sent = 0;
  for (mpi::Backoff backoff; all_have_sent == 0 || !arrivals_.empty(); backoff.pause()) {
    receive([](int, std::span<const std::byte>) {});
    if (!sends_.empty() || all_have_sent != 0) continue;
    if (barrier == MPI_REQUEST_NULL)
      mpi::check(MPI_Ibarrier(communicator_.handle(), &barrier), "MPI_Ibarrier");
    mpi::check(MPI_Test(&barrier, &all_have_sent, MPI_STATUS_IGNORE), "MPI_Test");
  }
}

/// Begins to receive the buffers that other ranks have sent.
void MessageExchange::accept_arrivals(std::size_t max_arrivals) {
  while (arrivals_.size() < max_arrivals) {
    int has_arrived = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    mpi::check(
        MPI_Improbe(MPI_ANY_SOURCE, message_tag, communicator_.handle(), &has_arrived, &message, &status),
        "MPI_Improbe");
    if (has_arrived == 0) return;
    int blocks = 0;
    mpi::check(MPI_Get_count(&status, block_type_, &blocks), "MPI_Get_count");
    const std::size_t bytes = static_cast<std::size_t>(blocks) * block_bytes;
    Arrival& arrival = arrivals_.emplace_back();
    arrival.from = status.MPI_SOURCE;
    arrival.buffer = pool_.take(bytes);
    arrival.buffer.used = bytes;
    // Not MPI_Mrecv, because it may wait until the sender, which may be busy, calls MPI again.
    mpi::check(MPI_Imrecv(arrival.buffer.memory.get(), blocks, block_type_, &message, &arrival.request),
               "MPI_Imrecv");
  }
}

bool MessageExchange::is_first_of_its_sender(std::size_t position) const {
  const auto end = arrivals_.begin() + static_cast<std::ptrdiff_t>(position);
  return std::none_of(arrivals_.begin(), end,
                      [&](const Arrival& earlier) { return earlier.from == arrivals_[position].from; });
}

bool MessageExchange::is_complete(Arrival& arrival) {
  int is_complete = 0;
  mpi::check(MPI_Test(&arrival.request, &is_complete, MPI_STATUS_IGNORE), "MPI_Test");
  return is_complete != 0;
}

std::optional<std::size_t> MessageExchange::next_complete_arrival() {
  for (std::size_t k = 0; k < arrivals_.size(); ++k)
    if (is_first_of_its_sender(k) && is_complete(arrivals_[k])) return k;
  return {};
}

void MessageExchange::finish(std::size_t position) {
  pool_.give_back(std::move(arrivals_[position].buffer));
  arrivals_.erase(arrivals_.begin() + static_cast<std::ptrdiff_t>(position));
}

}  // namespace plimsoll::objects
