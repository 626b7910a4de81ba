#include "interpose/counts/communicators.hpp"

#include <algorithm>
#include <numeric>

#include <plimsoll/support/hash.hpp>

#include "interpose/rules/topology.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

/// A group that is freed at the end of the scope.
class Group {
 public:
  Group() = default;
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group() {
    if (handle != MPI_GROUP_NULL) PMPI_Group_free(&handle);
  }
  MPI_Group handle = MPI_GROUP_NULL;
};

/// Removes entries of MPI_PROC_NULL, and returns the positions of the others.
std::vector<std::uint32_t> take_real(std::vector<int>& ranks) {
  std::vector<std::uint32_t> positions;
  for (std::size_t k = 0; k < ranks.size(); ++k)
    if (ranks[k] != MPI_PROC_NULL) positions.push_back(static_cast<std::uint32_t>(k));
  std::erase(ranks, MPI_PROC_NULL);
  return positions;
}

}  // namespace

Communicators::Communicators(collectives::Recorder& recorder) : recorder_(recorder) {
  PMPI_Comm_group(MPI_COMM_WORLD, &world_);
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &Communicators::mark_freed, &keyval_, nullptr);
  created(MPI_COMM_NULL, MPI_COMM_WORLD);
  created(MPI_COMM_NULL, MPI_COMM_SELF);
}

void Communicators::created(MPI_Comm parent, MPI_Comm communicator) {
  if (communicator == MPI_COMM_NULL) return;
  being_created_.erase(communicator);
  attach(communicator, next_order(parent, communicator));
}

void Communicators::being_created(MPI_Comm original, MPI_Comm communicator) {
  if (communicator != MPI_COMM_NULL) being_created_[communicator] = next_order(original, original);
}

void Communicators::release() {
  PMPI_Group_free(&world_);
  PMPI_Comm_free_keyval(&keyval_);
}

int Communicators::mark_freed(MPI_Comm, int, void* attribute, void*) {
  static_cast<KnownCommunicator*>(attribute)->freed.store(true, std::memory_order_release);
  freed_generation.fetch_add(1, std::memory_order_release);
  return MPI_SUCCESS;
}

KnownCommunicator* Communicators::find_slowly(MPI_Comm communicator) {
  if (communicator == MPI_COMM_NULL) return nullptr;
  if (const std::uint64_t now = freed_generation.load(std::memory_order_acquire); generation_ != now) {
    for (Recent& recent : recent_) recent = {};
    generation_ = now;
  }
  KnownCommunicator* const known = attached_to(communicator);
  if (!known) return nullptr;
  if (!known->described) describe(communicator, *known);
  if (known->outside_world) return nullptr;
  recent_[oldest_] = {communicator, known};
  oldest_ = (oldest_ + 1) % std::size(recent_);
  return known;
}

/// Returns null only for an invalid handle.
KnownCommunicator* Communicators::attached_to(MPI_Comm communicator) {
  KnownCommunicator* known = nullptr;
  int attached = 0;
  if (PMPI_Comm_get_attr(communicator, keyval_, &known, &attached) != MPI_SUCCESS) return nullptr;
  if (attached) return known;
  const auto begun = being_created_.find(communicator);
  if (begun == being_created_.end()) return &attach(communicator, next_order(MPI_COMM_NULL, communicator));
  const std::uint64_t order = begun->second;
  being_created_.erase(begun);
  return &attach(communicator, order);
}

KnownCommunicator& Communicators::attach(MPI_Comm communicator, std::uint64_t order) {
  // Discard freed communicators at intervals, because programs may create and free any number of
  // communicators.
  if (all_.size() >= 64 && (all_.size() & (all_.size() - 1)) == 0)
    std::erase_if(all_, [this](const auto& known) {
      if (!known->freed.load(std::memory_order_acquire)) return false;
      if (known->described && !known->outside_world) recorder_.communicator_freed(known->number);
      return true;
    });
  KnownCommunicator& known = *all_.emplace_back(std::make_unique<KnownCommunicator>());
  known.order = order;
  PMPI_Comm_set_attr(communicator, keyval_, &known);
  return known;
}

/// Counts communicators with the same members separately for each parent: threads on different ranks may
/// create communicators from several parents in any order.
std::uint64_t Communicators::next_order(MPI_Comm parent, MPI_Comm communicator) {
  const auto description = description_of(communicator);
  if (!description) return 0;
  const KnownCommunicator* const known_parent = parent == MPI_COMM_NULL ? nullptr : attached_to(parent);
  const std::uint64_t parent_order = known_parent ? known_parent->order : 0;
  const std::uint64_t hash = support::hash_bytes(description->remote_members,
                                                 support::hash_bytes(description->members, parent_order));
  const std::uint64_t hash_and_number[] = {hash, orders_[hash]++};
  return support::hash_bytes(hash_and_number);
}

void Communicators::describe(MPI_Comm communicator, KnownCommunicator& known) {
  known.described = true;
  auto description = description_of(communicator);
  known.outside_world = !description;
  if (!description) return;
  known.rank = description->comm_rank;
  known.peers = static_cast<std::uint32_t>(
      description->remote_members.empty() ? description->members.size() : description->remote_members.size());
  description->order = known.order;
  known.number = recorder_.add_communicator(*description);
}

std::optional<collectives::CommunicatorDescription> Communicators::description_of(
    MPI_Comm communicator) const {
  collectives::CommunicatorDescription description;
  int rank = 0;
  PMPI_Comm_rank(communicator, &rank);
  description.comm_rank = static_cast<std::uint32_t>(rank);
  Group group;
  PMPI_Comm_group(communicator, &group.handle);
  auto members = world_ranks(group.handle);
  if (!members) return std::nullopt;
  description.members = std::move(*members);
  int inter = 0;
  PMPI_Comm_test_inter(communicator, &inter);
  if (inter) {
    Group remote;
    PMPI_Comm_remote_group(communicator, &remote.handle);
    auto remote_members = world_ranks(remote.handle);
    if (!remote_members) return std::nullopt;
    description.remote_members = std::move(*remote_members);
  }
  return description;
}

std::optional<std::vector<std::uint32_t>> Communicators::world_ranks(MPI_Group group) const {
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<int> in_world(ranks.size());
  PMPI_Group_translate_ranks(group, size, ranks.data(), world_, in_world.data());
  if (std::find(in_world.begin(), in_world.end(), MPI_UNDEFINED) != in_world.end()) return std::nullopt;
  return std::vector<std::uint32_t>(in_world.begin(), in_world.end());
}

void Communicators::learn_neighbors(MPI_Comm communicator, KnownCommunicator& known) {
  known.neighbors_known = true;
  auto [sources, destinations] = neighbors_of(communicator);
  known.sources = static_cast<std::uint32_t>(sources.size());
  known.destinations = static_cast<std::uint32_t>(destinations.size());
  known.real_sources = take_real(sources);
  known.real_destinations = take_real(destinations);
  known.at_an_edge =
      known.real_sources.size() < known.sources || known.real_destinations.size() < known.destinations;
  recorder_.set_neighbors(known.number, sources, destinations);
}

}  // namespace plimsoll::interpose
