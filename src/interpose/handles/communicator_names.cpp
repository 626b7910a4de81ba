#include "interpose/handles/communicator_names.hpp"

#include <algorithm>
#include <mutex>
#include <unordered_map>
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

namespace {

/// The names so far. Calls only local functions of MPI.
class Names {
 public:
  Names() {
    created(MPI_COMM_NULL, MPI_COMM_WORLD);
    created(MPI_COMM_NULL, MPI_COMM_SELF);
  }

  void created(MPI_Comm parent, MPI_Comm communicator) {
    copies_.erase(communicator);
    Communicator* const known = attached_to(communicator);
    if (!known) return;
    known->order = next(parent, communicator);
    known->is_named = true;
  }
  void being_created(MPI_Comm original, MPI_Comm copy) {
    if (copy != MPI_COMM_NULL) copies_[copy] = next(original, original);
  }

  /// Returns whether the creation of a communicator was seen.
  bool is_named(MPI_Comm communicator, Communicator& known) {
    if (const auto copy = copies_.extract(communicator)) {
      known.order = copy.mapped();
      known.is_named = true;
    }
    return known.is_named;
  }
  std::uint64_t of(MPI_Comm communicator, Communicator& known) {
    if (!is_named(communicator, known) && known.order == 0) known.order = next(MPI_COMM_NULL, communicator);
    return known.order;
  }

 private:
  /// Counts communicators with the same members separately for each parent: threads on different ranks may
  /// create communicators from several parents in any order.
  std::uint64_t next(MPI_Comm parent, MPI_Comm communicator) {
    const auto description = description_of(communicator);
    if (!description) return 0;
    Communicator* const known_parent = attached_to(parent);
    const std::uint64_t parent_order = known_parent ? of(parent, *known_parent) : 0;
    const std::uint64_t hash = support::hash_bytes(description->remote_members,
                                                   support::hash_bytes(description->members, parent_order));
    const std::uint64_t hash_and_number[] = {hash, numbers_[hash]++};
    return support::hash_bytes(hash_and_number);
  }

  std::unordered_map<std::uint64_t, std::uint64_t>
      numbers_;  ///< number of communicators so far, by hash of parent and members
  std::unordered_map<MPI_Comm, std::uint64_t> copies_;  ///< names of those that have not been used yet
};

/// Names that several threads use. They are never destroyed, because threads may outlive the exit handlers.
struct SharedNames {
  std::mutex mutex;
  Names names;
};
SharedNames& shared_names() {
  static SharedNames* const shared = new SharedNames;
  return *shared;
}

template <class Use>
auto with_names(Use&& use) {
  auto& [mutex, names] = shared_names();
  const std::lock_guard lock(mutex);
  return use(names);
}

}  // namespace

void communicator_created(MPI_Comm parent, MPI_Comm communicator) {
  with_names([&](Names& names) { names.created(parent, communicator); });
}

void communicator_being_created(MPI_Comm original, MPI_Comm copy) {
  with_names([&](Names& names) { names.being_created(original, copy); });
}

std::uint64_t order_of(MPI_Comm communicator, Communicator& known) {
  return with_names([&](Names& names) { return names.of(communicator, known); });
}

const std::shared_ptr<const Channel>& channel_of(MPI_Comm communicator, Communicator& known) {
  if (!known.channel && !known.inter &&
      with_names([&](Names& names) { return names.is_named(communicator, known); }) && known.order != 0)
    known.channel = std::make_shared<const Channel>(Channel{known.order, known.world_ranks});
  return known.channel;
}

}  // namespace plimsoll::interpose
