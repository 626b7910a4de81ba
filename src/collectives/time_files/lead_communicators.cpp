#include "collectives/time_files/lead_communicators.hpp"

#include <algorithm>

namespace plimsoll::PLIMSOLL_ABI::collectives {

Communicator& communicator_of(Lead& lead, std::uint32_t id) {
  auto place = std::ranges::lower_bound(lead.communicators, id, {}, &Communicator::id);
  if (place == lead.communicators.end() || place->id != id) {
    place = lead.communicators.emplace(place);
    place->id = id;
  }
  return *place;
}

NumberList& calls_of(Communicator& communicator, Operation operation) {
  const auto index = [](const Communicator::Calls& calls) { return calls.operation.index(); };
  auto place = std::ranges::lower_bound(communicator.calls, operation.index(), {}, index);
  if (place == communicator.calls.end() || place->operation != operation) {
    place = communicator.calls.emplace(place);
    place->operation = operation;
  }
  return place->ids;
}

}  // namespace plimsoll::collectives
