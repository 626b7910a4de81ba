#include "interpose/counts/counted_communicators.hpp"

#include <algorithm>
#include <vector>

#include <plimsoll/support/hash.hpp>

#include "interpose/handles/topology.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

/// Returns nothing if processes outside MPI_COMM_WORLD are members.
std::optional<std::vector<std::uint32_t>> members_in_world(MPI_Group group) {
  const std::vector<int> ranks = world_ranks(group);
  if (std::ranges::find(ranks, MPI_UNDEFINED) != ranks.end()) return std::nullopt;
  return std::vector<std::uint32_t>(ranks.begin(), ranks.end());
}

/// Returns the description of a communicator; nothing if processes outside MPI_COMM_WORLD are members.
std::optional<collectives::CommunicatorDescription> description_of(MPI_Comm communicator) {
  int rank = 0;
  int inter = 0;
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_rank(communicator, &rank);
  PMPI_Comm_test_inter(communicator, &inter);
  PMPI_Comm_group(communicator, &group);
  const auto members = members_in_world(group);
  if (!members) return std::nullopt;
  collectives::CommunicatorDescription description = {
      .comm_rank = static_cast<std::uint32_t>(rank), .members = *members, .remote_members = {}};
  if (!inter) return description;
  PMPI_Comm_remote_group(communicator, &group);
  const auto remote = members_in_world(group);
  if (!remote) return std::nullopt;
  description.remote_members = *remote;
  return description;
}

}  // namespace

CountedCommunicators::CountedCommunicators(collectives::Recorder& recorder) : recorder_(recorder) {
  created(MPI_COMM_NULL, MPI_COMM_WORLD);
  created(MPI_COMM_NULL, MPI_COMM_SELF);
}

void CountedCommunicators::created(MPI_Comm parent, MPI_Comm communicator) {
  being_created_.erase(communicator);
  if (Communicator* const known = attached_to(communicator)) known->order = next_order(parent, communicator);
}

void CountedCommunicators::being_created(MPI_Comm original, MPI_Comm communicator) {
  if (communicator != MPI_COMM_NULL) being_created_[communicator] = next_order(original, original);
}

Communicator* CountedCommunicators::find(MPI_Comm communicator) {
  Communicator* const known = find_communicator(communicator);
  if (known && !known->described) describe(communicator, *known);
  return known && !known->outside_world ? known : nullptr;
}

/// Returns the order of a communicator. That of one whose creation was not seen is set now.
std::uint64_t CountedCommunicators::order_of(MPI_Comm communicator, Communicator& known) {
  if (known.order != 0) return known.order;
  const auto begun = being_created_.find(communicator);
  known.order = begun != being_created_.end() ? begun->second : next_order(MPI_COMM_NULL, communicator);
  if (begun != being_created_.end()) being_created_.erase(begun);
  return known.order;
}

/// Counts communicators with the same members separately for each parent: threads on different ranks may
/// create communicators from several parents in any order.
std::uint64_t CountedCommunicators::next_order(MPI_Comm parent, MPI_Comm communicator) {
  const auto description = description_of(communicator);
  if (!description) return 0;
  Communicator* const known_parent = attached_to(parent);
  const std::uint64_t parent_order = known_parent ? order_of(parent, *known_parent) : 0;
  const std::uint64_t hash = support::hash_bytes(description->remote_members,
                                                 support::hash_bytes(description->members, parent_order));
  const std::uint64_t hash_and_number[] = {hash, orders_[hash]++};
  return support::hash_bytes(hash_and_number);
}

void CountedCommunicators::describe(MPI_Comm communicator, Communicator& known) {
  for (const std::uint32_t number : take_freed_numbers()) recorder_.communicator_freed(number);
  known.described = true;
  auto description = description_of(communicator);
  known.outside_world = !description;
  if (!description) return;
  description->order = order_of(communicator, known);
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
