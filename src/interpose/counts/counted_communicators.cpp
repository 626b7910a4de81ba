#include "interpose/counts/counted_communicators.hpp"

#include <vector>

#include "interpose/handles/topology.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

Communicator* CountedCommunicators::find(MPI_Comm communicator) {
  Communicator* const known = find_communicator(communicator);
  if (known && !known->described) describe(communicator, *known);
  return known && !known->outside_world ? known : nullptr;
}

void CountedCommunicators::describe(MPI_Comm communicator, Communicator& known) {
  for (const std::uint32_t number : take_freed_numbers()) recorder_.communicator_freed(number);
  known.described = true;
  auto description = description_of(communicator);
  known.outside_world = !description;
  if (!description) return;
  description->order = order_.of(communicator, known);
  known.number = recorder_.add_communicator(*description);
}

void CountedCommunicators::record_neighbors(MPI_Comm communicator, Communicator& known) {
  if (known.neighbors_recorded) return;
  known.neighbors_recorded = true;
  auto [sources, destinations] = neighbors_of(communicator);
  std::erase(sources, MPI_PROC_NULL);
  std::erase(destinations, MPI_PROC_NULL);
  recorder_.set_neighbors(known.number, sources, destinations);
}

}  // namespace plimsoll::interpose
