#include "interpose/waits/arrivals.hpp"

#include <sched.h>

#include <algorithm>
#include <utility>

#include <plimsoll/support/internal/threads.hpp>

#include "interpose/handles/own_communicator.hpp"
#include "interpose/lifecycle/recording.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

/// Blocks whose reductions have not ended, because other ranks are behind by as many calls. Then this rank
/// waits for them for a while: the calls may wait as long, as MPI defines collectives.
constexpr std::size_t max_pending = 32;
constexpr std::uint64_t patience_ns = 2'000'000'000;

constexpr std::int64_t nobody = INT64_MIN;

}  // namespace

Arrivals::Arrivals(MPI_Comm communicator, SharedWaits& waits)
    : comm_(own_communicator_like(communicator)), waits_(waits) {}

Arrivals::~Arrivals() {
  if (comm_ != MPI_COMM_NULL && pending_.empty()) free_own_communicator(comm_);
}

void Arrivals::add(const Call& call) noexcept {
  if (comm_ == MPI_COMM_NULL) return;
  try {
    if (!current_) make_room();
    current_->latest_ns[check_values + current_->calls.size()] =
        call.part.is_awaited ? call.begin_ns : nobody;
    current_->calls.push_back(call);
    if (current_->calls.size() == calls_per_block) start_reduction();
  } catch (const std::exception&) {
    comm_ = MPI_COMM_NULL;  // the waiting is unknown; the other ranks notice that a reduction does not end
  }
}

void Arrivals::flush() noexcept {
  try {
    if (current_ && comm_ != MPI_COMM_NULL) start_reduction();
  } catch (const std::exception&) {
    comm_ = MPI_COMM_NULL;
  }
}

void Arrivals::make_room() {
  if (unused_.empty()) {
    unused_.reserve(pending_.size() + 1);
    unused_.push_back(std::make_unique<Block>());
    unused_.back()->calls.reserve(calls_per_block);
  }
  current_ = std::move(unused_.back());
  unused_.pop_back();
}

void Arrivals::start_reduction() {
  const support::NoCancellation no_cancellation;
  while (take_first_complete()) {
  }
  for (const std::uint64_t begin_ns = now_ns(); pending_.size() >= max_pending; sched_yield())
    if (!take_first_complete() && now_ns() - begin_ns > patience_ns) {
      comm_ = MPI_COMM_NULL;
      return;
    }
  const auto calls = static_cast<std::int64_t>(current_->calls.size());
  auto& latest_ns = current_->latest_ns;
  std::fill(latest_ns.begin() + check_values + calls, latest_ns.end(), nobody);
  latest_ns[0] = blocks_;
  latest_ns[1] = -blocks_;
  latest_ns[2] = calls;
  latest_ns[3] = -calls;
  pending_.reserve(max_pending);
  if (PMPI_Iallreduce(MPI_IN_PLACE, latest_ns.data(), static_cast<int>(latest_ns.size()), MPI_INT64_T,
                      MPI_MAX, comm_, &current_->reduction) != MPI_SUCCESS) {
    comm_ = MPI_COMM_NULL;
    return;
  }
  pending_.push_back(std::move(current_));
  ++blocks_;
}

bool Arrivals::is_complete() noexcept {
  while (take_first_complete()) {
  }
  return pending_.empty();
}

/// Takes the first pending block if its reduction has ended. Returns whether it has.
bool Arrivals::take_first_complete() noexcept {
  if (pending_.empty()) return false;
  int ended = 0;
  PMPI_Test(&pending_.front()->reduction, &ended, MPI_STATUS_IGNORE);
  if (!ended) return false;
  try {
    take(*pending_.front());
    pending_.front()->calls.clear();
    unused_.push_back(std::move(pending_.front()));
  } catch (const std::exception&) {  // the waiting in these calls is unknown
  }
  pending_.erase(pending_.begin());
  return true;
}

/// Adds the waiting in the calls of a block, whose latest arrivals are known.
void Arrivals::take(const Block& block) {
  if (block.latest_ns[0] != -block.latest_ns[1] || block.latest_ns[2] != -block.latest_ns[3]) return;
  const std::lock_guard lock(waits_.mutex);
  for (std::size_t k = 0; k < block.calls.size(); ++k) {
    const Call& call = block.calls[k];
    waits_.waits.add(call, call.part.waits ? block.latest_ns[check_values + k] : nobody);
  }
}

}  // namespace plimsoll::interpose
