#include "interpose/waits/collective_waits.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include <plimsoll/support/internal/threads.hpp>

#include "interpose/handles/communicators.hpp"
#include "interpose/rules/mpi_errors.hpp"
#include "interpose/waits/arrivals.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

/// Maximum time that MPI_Finalize waits for comparisons, which take as long as ranks are late.
constexpr std::uint64_t finalize_patience_ns = 5'000'000'000;

std::atomic<std::int64_t> clock_offset = 0;

/// Never destroyed, because threads may outlive the exit handlers.
struct Comparisons {
  std::mutex mutex;
  std::vector<std::unique_ptr<Arrivals>> all;  ///< of communicators in use, and of freed ones until they end
  SharedWaits waits;
  std::size_t enough = 16;  ///< number of `all` from which on ended ones are removed

  /// Ends the comparisons of freed communicators whose waits are known, if their number has doubled.
  void end_complete() {
    if (all.size() < enough) return;
    std::erase_if(all, [&](const std::unique_ptr<Arrivals>& arrivals) {
      if (!arrivals->is_freed()) return false;
      arrivals->flush();
      return arrivals->is_complete();
    });
    enough = std::max<std::size_t>(16, 2 * all.size());
  }
};
Comparisons& comparisons() {
  static Comparisons* const comparisons = new Comparisons;
  return *comparisons;
}

Part part_of(const Communicator& communicator, rules::Dependence dependence, int root) {
  const bool is_root = communicator.rank == root;
  if (dependence == rules::Dependence::on_root) return {.is_awaited = is_root, .waits = !is_root};
  if (dependence == rules::Dependence::of_root) return {.is_awaited = !is_root, .waits = is_root};
  return {.is_awaited = true, .waits = true};
}

}  // namespace

void begin_collective_waits(std::int64_t clock_offset_ns, collectives::SumsFile* file) {
  clock_offset = clock_offset_ns;
  comparisons().waits.waits.places = WaitTable({file, collectives::rank_sums::Kind::waits, 0});
}

// The communicator of the comparison is made after the first call, in which the ranks have waited for each
// other: before it, the program's waiting would be taken for the profiler's.
void add_collective(const rules::Collective& call, rules::Dependence dependence, int code,
                    const WaitTable::Key& place, const CallTime& time) {
  // Errors in arguments concern this rank only, before it communicates.
  if (code != MPI_SUCCESS && concerns_arguments(code)) return;
  guarded(Sink::arrivals, [&] {
    Communicator* const communicator = find_communicator(call.comm);
    if (!communicator || communicator->inter) return;
    if (!communicator->arrivals) {
      const support::NoCancellation no_cancellation;
      const std::uint64_t begin_ns = now_ns();
      auto arrivals = std::make_unique<Arrivals>(call.comm, comparisons().waits);
      const std::lock_guard lock(comparisons().mutex);
      comparisons().end_complete();
      communicator->arrivals = comparisons().all.emplace_back(std::move(arrivals)).get();
      exclude_from_parts(begin_ns, now_ns());  // it is the profiler's own time
    }
    const std::int64_t begin_ns =
        static_cast<std::int64_t>(time.begin_ns) + clock_offset.load(std::memory_order_relaxed);
    communicator->arrivals->add({{.place = place,
                                  .region = current_region(),
                                  .begin_ns = begin_ns,
                                  .end_ns = begin_ns + static_cast<std::int64_t>(time.duration_ns)},
                                 part_of(*communicator, dependence, call.root)});
  });
}

// The objects stay, because the callbacks of communicators that MPI_Finalize frees refer to them.
Waits end_collective_waits() {
  const std::lock_guard lock(comparisons().mutex);
  for (const auto& arrivals : comparisons().all) arrivals->flush();
  const std::uint64_t begin_ns = now_ns();
  for (const auto& arrivals : comparisons().all)
    while (!arrivals->is_complete() && now_ns() - begin_ns < finalize_patience_ns) sched_yield();
  const std::lock_guard lock_of_waits(comparisons().waits.mutex);
  return comparisons().waits.waits;
}

}  // namespace plimsoll::interpose
