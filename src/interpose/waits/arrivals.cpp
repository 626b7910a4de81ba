#include "interpose/waits/arrivals.hpp"

#include <sched.h>

#include <algorithm>
#include <utility>

#include <plimsoll/support/internal/threads.hpp>

#include "interpose/handles/communicator_names.hpp"
#include "interpose/rules/mpi_errors.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

constexpr int arrivals_tag = 7;

/// Comparisons on a communicator that have not ended, because other ranks are behind by as many blocks. Then
/// this rank waits for them for a while: the calls may wait as long, as MPI defines collectives.
constexpr int max_pending = 32;
constexpr std::uint64_t patience_ns = 2'000'000'000;
/// Maximum time that MPI_Finalize waits for comparisons, which take as long as ranks are late.
constexpr std::uint64_t finalize_patience_ns = 5'000'000'000;
/// Calls after which a rank passes on letters, while comparisons have not ended.
constexpr std::size_t calls_between_looks = 63;

constexpr std::int64_t nobody = INT64_MIN;

}  // namespace

void Arrivals::Letter::join(const Letter& other) {
  has_equal_calls = has_equal_calls && other.has_equal_calls && calls == other.calls;
  for (std::size_t k = 0; k < static_cast<std::size_t>(std::min(calls, other.calls)); ++k)
    latest_ns[k] = std::max(latest_ns[k], other.latest_ns[k]);
}

void Arrivals::add(const rules::Collective& call, rules::Dependence dependence, int code,
                   const CallPlace& place, const CallTime& time) {
  // Errors in arguments concern this rank only, before it communicates.
  if (code != MPI_SUCCESS && concerns_arguments(code)) return;
  guarded(Sink::arrivals, [&] {
    ComparedCalls* const on = calls_on(call.comm);
    if (!on) return;
    const bool among_all = dependence == rules::Dependence::among_all;
    const bool is_root = on->tree.rank == call.root;
    const std::int64_t begin_ns = shared_time_ns(time.begin_ns);
    add(*on, {{.place = place,
               .region = current_region(),
               .begin_ns = begin_ns,
               .end_ns = begin_ns + static_cast<std::int64_t>(time.duration_ns)},
              among_all || (dependence == rules::Dependence::on_root) == is_root,
              among_all || (dependence == rules::Dependence::of_root) == is_root});
  });
}

/// Returns the calls on a communicator; null if these are not compared.
ComparedCalls* Arrivals::calls_on(MPI_Comm handle) {
  Communicator* const communicator = find_communicator(handle);
  if (!communicator) return nullptr;
  if (communicator->compared_calls) return communicator->compared_calls;
  const auto& channel = channel_of(handle, *communicator);
  if (!channel) return nullptr;
  auto calls = std::make_unique<ComparedCalls>();
  calls->channel = channel;
  calls->tree = {communicator->rank, communicator->size};
  const std::lock_guard lock(mutex_);
  remove_ended();
  communicator->compared_calls = all_.emplace_back(std::move(calls)).get();
  return communicator->compared_calls;
}

/// Ends the comparisons on freed communicators, and removes those that have ended, if their number has
/// doubled.
void Arrivals::remove_ended() {
  if (all_.size() < enough_) return;
  take_letters();
  std::erase_if(all_, [&](const std::unique_ptr<ComparedCalls>& on) {
    if (!on->freed.load(std::memory_order_acquire)) return false;
    if (!on->is_given_up && !on->block.empty()) compare(*on);
    return on->pending == 0;
  });
  enough_ = std::max<std::size_t>(16, 2 * all_.size());
}

void Arrivals::add(ComparedCalls& on, const ComparedCall& call) noexcept {
  if (on.is_given_up) return;
  try {
    if (on.block.size() == on.block.capacity()) on.block.reserve(on.block.empty() ? 8 : calls_per_block);
    on.block.push_back(call);
    if (on.block.size() % calls_between_looks != 0) return;
    const support::NoCancellation no_cancellation;
    if (on.block.size() == calls_per_block)
      compare_in_time(on);
    else if (on.pending > 0)
      look();
  } catch (const std::exception&) {
    on.is_given_up = true;  // the waiting is unknown; the other ranks notice that a comparison does not end
  }
}

void Arrivals::look() {
  const std::lock_guard lock(mutex_);
  take_letters();
}

void Arrivals::compare_in_time(ComparedCalls& on) {
  const std::uint64_t begin_ns = now_ns();
  for (look(); on.pending >= max_pending; look()) {
    if (now_ns() - begin_ns > patience_ns) {
      on.is_given_up = true;
      return;
    }
    sched_yield();
  }
  const std::lock_guard lock(mutex_);
  compare(on);
}

/// Begins to compare the calls since the last comparison.
void Arrivals::compare(ComparedCalls& on) {
  if (on.tree.size == 1) {
    for (const ComparedCall& call : on.block) waits_.add(call, nobody);
    on.block.clear();
    return;
  }
  Letter own = {.channel = on.channel->id,
                .block = on.blocks++,
                .calls = static_cast<std::int32_t>(on.block.size()),
                .has_equal_calls = true,
                .is_result = false,
                .latest_ns = {}};
  std::ranges::transform(on.block, own.latest_ns.begin(),
                         [](const ComparedCall& call) { return call.is_awaited ? call.begin_ns : nobody; });
  const auto comparison = comparisons_.try_emplace({own.channel, own.block}).first;
  comparison->second.on = &on;
  comparison->second.calls = std::exchange(on.block, std::exchange(on.spare, {}));
  ++on.pending;
  join(comparison, own);
}

/// Adds the part of this rank, or of those below it in the tree, and passes on all of them if they are
/// complete.
void Arrivals::join(Comparisons::iterator comparison, const Letter& letter) {
  auto& [on, calls, parts, latest] = comparison->second;
  if (parts++ == 0)
    latest = letter;
  else
    latest.join(letter);
  if (!on) return;
  int expected = 1;
  on->tree.for_each_child([&](int) { ++expected; });
  if (parts < expected) return;
  if (!on->tree.is_root()) return send(latest, on->tree.parent(), *on->channel);
  latest.is_result = true;
  finish(comparison, latest);
}

void Arrivals::finish(Comparisons::iterator comparison, const Letter& result) {
  ComparedCalls* const on = comparison->second.on;
  on->tree.for_each_child([&](int child) { send(result, child, *on->channel); });
  take(comparison->second.calls, result);
  comparison->second.calls.clear();
  on->spare.swap(comparison->second.calls);
  --on->pending;
  comparisons_.erase(comparison);
}

/// Adds the waiting in the calls of a block.
void Arrivals::take(const std::vector<ComparedCall>& calls, const Letter& result) {
  if (!result.has_equal_calls) return;
  for (std::size_t k = 0; k < calls.size(); ++k)
    waits_.add(calls[k], calls[k].waits ? result.latest_ns[k] : nobody);
}

void Arrivals::send(const Letter& letter, int rank, const Channel& channel) {
  sent_.send(letter, channel.world_ranks[static_cast<std::size_t>(rank)], arrivals_tag, world_,
             letter.bytes());
}

void Arrivals::take_letters() {
  for (;;) {
    int found = 0;
    PMPI_Iprobe(MPI_ANY_SOURCE, arrivals_tag, world_, &found, MPI_STATUS_IGNORE);
    if (!found) return;
    Letter letter;
    PMPI_Recv(&letter, sizeof letter, MPI_BYTE, MPI_ANY_SOURCE, arrivals_tag, world_, MPI_STATUS_IGNORE);
    const auto comparison = comparisons_.try_emplace({letter.channel, letter.block}).first;
    if (letter.is_result)
      finish(comparison, letter);
    else
      join(comparison, letter);
  }
}

void Arrivals::add(const MeasuredCall& call, std::int64_t arrival_ns) {
  const std::lock_guard lock(mutex_);
  waits_.add(call, arrival_ns);
}

// The calls stay, because the callbacks of communicators that MPI_Finalize frees refer to them.
Waits Arrivals::end() {
  const std::lock_guard lock(mutex_);
  const auto have_ended = [&] {
    return sent_.is_empty() &&
           std::ranges::all_of(all_, [](const auto& on) { return on->is_given_up || on->pending == 0; });
  };
  try {
    for (const auto& on : all_)
      if (!on->is_given_up && !on->block.empty()) compare(*on);
    for (const std::uint64_t begin_ns = now_ns(); !have_ended() && now_ns() - begin_ns < finalize_patience_ns;
         sched_yield())
      take_letters();
  } catch (const std::exception&) {  // the waiting in the remaining calls is unknown
  }
  return waits_;
}

}  // namespace plimsoll::interpose
