#include "interpose/sums/members.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>

#include "interpose/rules/topology.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

std::mutex mutex;  // MPI's callbacks must not wait for it, because their caller may hold a lock of MPI
MPI_Group world = MPI_GROUP_NULL;
int communicator_keyval = MPI_KEYVAL_INVALID;
int window_keyval = MPI_KEYVAL_INVALID;

int free_of_communicator(MPI_Comm, int, void* attribute, void*) {
  freed_generation<OfCommunicators>.fetch_add(1, std::memory_order_release);
  delete static_cast<Members*>(attribute);
  return MPI_SUCCESS;
}

int free_of_window(MPI_Win, int, void* attribute, void*) {
  freed_generation<OfWindows>.fetch_add(1, std::memory_order_release);
  delete static_cast<Members*>(attribute);
  return MPI_SUCCESS;
}

/// Returns the ranks of a group's members in MPI_COMM_WORLD. Frees the group.
std::vector<int> world_ranks(MPI_Group group) {
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<int> in_world(ranks.size());
  PMPI_Group_translate_ranks(group, size, ranks.data(), world, in_world.data());
  PMPI_Group_free(&group);
  return in_world;
}

/// Returns the positions of ranks among neighbours.
std::vector<std::uint32_t> real_positions(const std::vector<int>& neighbors) {
  std::vector<std::uint32_t> positions;
  for (std::size_t k = 0; k < neighbors.size(); ++k)
    if (neighbors[k] != MPI_PROC_NULL) positions.push_back(static_cast<std::uint32_t>(k));
  return positions;
}

std::unique_ptr<Members> members_of(MPI_Comm communicator) {
  auto members = std::make_unique<Members>();
  int inter = 0;
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_rank(communicator, &members->rank);
  PMPI_Comm_size(communicator, &members->size);
  PMPI_Comm_test_inter(communicator, &inter);
  inter ? PMPI_Comm_remote_group(communicator, &group) : PMPI_Comm_group(communicator, &group);
  members->inter = inter != 0;
  members->world_ranks = world_ranks(group);
  if (inter) return members;
  const Neighbors neighbors = neighbors_of(communicator);
  members->sources = real_positions(neighbors.sources);
  members->destinations = real_positions(neighbors.destinations);
  return members;
}

}  // namespace

const Members* attached_members(MPI_Comm communicator, OfCommunicators) {
  if (communicator == MPI_COMM_NULL) return nullptr;
  const std::lock_guard lock(mutex);
  Members* members = nullptr;
  int attached = 0;
  if (PMPI_Comm_get_attr(communicator, communicator_keyval, static_cast<void*>(&members), &attached) !=
      MPI_SUCCESS)
    return nullptr;
  if (attached) return members;
  auto fresh = members_of(communicator);
  if (PMPI_Comm_set_attr(communicator, communicator_keyval, fresh.get()) != MPI_SUCCESS) return nullptr;
  return fresh.release();
}

const Members* attached_members(MPI_Win window, OfWindows) {
  if (window == MPI_WIN_NULL) return nullptr;
  const std::lock_guard lock(mutex);
  Members* members = nullptr;
  int attached = 0;
  if (PMPI_Win_get_attr(window, window_keyval, static_cast<void*>(&members), &attached) != MPI_SUCCESS)
    return nullptr;
  if (attached) return members;
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Win_get_group(window, &group);
  auto fresh = std::make_unique<Members>();
  fresh->world_ranks = world_ranks(group);
  if (PMPI_Win_set_attr(window, window_keyval, fresh.get()) != MPI_SUCCESS) return nullptr;
  return fresh.release();
}

void remember_members() {
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &free_of_communicator, &communicator_keyval, nullptr);
  PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, &free_of_window, &window_keyval, nullptr);
}

void forget_members() {
  PMPI_Group_free(&world);
  PMPI_Comm_free_keyval(&communicator_keyval);
  PMPI_Win_free_keyval(&window_keyval);
}

}  // namespace plimsoll::interpose
