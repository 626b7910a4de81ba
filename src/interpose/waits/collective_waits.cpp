#include "interpose/waits/collective_waits.hpp"

#include <utility>

#include "interpose/handles/communicator_names.hpp"
#include "interpose/rules/mpi_errors.hpp"
#include "interpose/waits/arrivals.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

/// Never destroyed, because threads may outlive the exit handlers.
Arrivals* arrivals = nullptr;
std::int64_t clock_offset = 0;

Part part_of(const Communicator& communicator, rules::Dependence dependence, int root) {
  const bool is_root = communicator.rank == root;
  if (dependence == rules::Dependence::on_root) return {.is_awaited = is_root, .waits = !is_root};
  if (dependence == rules::Dependence::of_root) return {.is_awaited = !is_root, .waits = is_root};
  return {.is_awaited = true, .waits = true};
}

}  // namespace

void begin_collective_waits(const Run& run, std::int64_t clock_offset_ns, collectives::SumsFile* file) {
  clock_offset = clock_offset_ns;
  arrivals = new Arrivals(run.comm, WaitTable({file, collectives::rank_sums::Kind::waits, 0}));
}

void add_collective(const rules::Collective& call, rules::Dependence dependence, int code,
                    const CallPlace& place, const CallTime& time) {
  // Errors in arguments concern this rank only, before it communicates.
  if (code != MPI_SUCCESS && concerns_arguments(code)) return;
  guarded(Sink::arrivals, [&] {
    Communicator* const communicator = find_communicator(call.comm);
    if (!communicator) return;
    if (!communicator->compared_calls) {
      const auto& channel = channel_of(call.comm, *communicator);
      if (!channel) return;
      communicator->compared_calls = arrivals->calls_on(channel, {communicator->rank, communicator->size});
    }
    const std::int64_t begin_ns = static_cast<std::int64_t>(time.begin_ns) + clock_offset;
    arrivals->add(*communicator->compared_calls,
                  {{.place = place,
                    .region = current_region(),
                    .begin_ns = begin_ns,
                    .end_ns = begin_ns + static_cast<std::int64_t>(time.duration_ns)},
                   part_of(*communicator, dependence, call.root)});
  });
}

Waits end_collective_waits() {
  return arrivals->end();
}

}  // namespace plimsoll::interpose
