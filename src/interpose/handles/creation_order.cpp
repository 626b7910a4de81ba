#include "interpose/handles/creation_order.hpp"

#include <algorithm>
#include <vector>

#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

/// Returns nothing if processes outside MPI_COMM_WORLD are members.
std::optional<std::vector<std::uint32_t>> members_in_world(MPI_Group group) {
  const std::vector<int> ranks = world_ranks(group);
  if (std::ranges::find(ranks, MPI_UNDEFINED) != ranks.end()) return std::nullopt;
  return std::vector<std::uint32_t>(ranks.begin(), ranks.end());
}

}  // namespace

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

CreationOrder::CreationOrder() {
  created(MPI_COMM_NULL, MPI_COMM_WORLD);
  created(MPI_COMM_NULL, MPI_COMM_SELF);
}

void CreationOrder::created(MPI_Comm parent, MPI_Comm communicator) {
  being_created_.erase(communicator);
  if (Communicator* const known = attached_to(communicator)) known->order = next(parent, communicator);
}

void CreationOrder::being_created(MPI_Comm original, MPI_Comm communicator) {
  if (communicator != MPI_COMM_NULL) being_created_[communicator] = next(original, original);
}

std::uint64_t CreationOrder::of(MPI_Comm communicator, Communicator& known) {
  const auto begun = being_created_.find(communicator);
  if (begun != being_created_.end()) {
    known.order = begun->second;
    being_created_.erase(begun);
  } else if (known.order == 0) {
    known.order = next(MPI_COMM_NULL, communicator);
  }
  return known.order;
}

/// Counts communicators with the same members separately for each parent: threads on different ranks may
/// create communicators from several parents in any order.
std::uint64_t CreationOrder::next(MPI_Comm parent, MPI_Comm communicator) {
  const auto description = description_of(communicator);
  if (!description) return 0;
  Communicator* const known_parent = attached_to(parent);
  const std::uint64_t parent_order = known_parent ? of(parent, *known_parent) : 0;
  const std::uint64_t hash = support::hash_bytes(description->remote_members,
                                                 support::hash_bytes(description->members, parent_order));
  const std::uint64_t hash_and_number[] = {hash, numbers_[hash]++};
  return support::hash_bytes(hash_and_number);
}

}  // namespace plimsoll::interpose
