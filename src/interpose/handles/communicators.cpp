#include "interpose/handles/communicators.hpp"

#include <memory>
#include <mutex>
#include <numeric>
#include <utility>

#include "interpose/handles/topology.hpp"
#include "interpose/waits/arrivals.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

std::mutex mutex;        // MPI's callbacks must not wait for it, because their caller may hold a lock of MPI
std::mutex freed_mutex;  // its holders do not call MPI
std::vector<std::uint32_t> freed_numbers;
MPI_Group world = MPI_GROUP_NULL;
int communicator_keyval = MPI_KEYVAL_INVALID;
int window_keyval = MPI_KEYVAL_INVALID;

int free_of_communicator(MPI_Comm, int, void* attribute, void*) {
  RecentCommunicators::freed_generation.fetch_add(1, std::memory_order_release);
  const std::unique_ptr<Communicator> freed(static_cast<Communicator*>(attribute));
  if (freed->compared_calls) freed->compared_calls->freed.store(true, std::memory_order_release);
  if (!freed->described || freed->outside_world) return MPI_SUCCESS;
  try {
    const std::lock_guard lock(freed_mutex);
    freed_numbers.push_back(freed->number);
  } catch (const std::bad_alloc&) {  // the recorder keeps its memory of this communicator
  }
  return MPI_SUCCESS;
}

int free_of_window(MPI_Win, int, void* attribute, void*) {
  RecentWindows::freed_generation.fetch_add(1, std::memory_order_release);
  delete static_cast<Members*>(attribute);
  return MPI_SUCCESS;
}

/// Returns the positions of ranks among neighbours.
std::vector<std::uint32_t> real_positions(const std::vector<int>& neighbors) {
  std::vector<std::uint32_t> positions;
  for (std::size_t k = 0; k < neighbors.size(); ++k)
    if (neighbors[k] != MPI_PROC_NULL) positions.push_back(static_cast<std::uint32_t>(k));
  return positions;
}

void learn_members(MPI_Comm communicator, Communicator& known) {
  int inter = 0;
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_rank(communicator, &known.rank);
  PMPI_Comm_size(communicator, &known.size);
  PMPI_Comm_test_inter(communicator, &inter);
  inter ? PMPI_Comm_remote_group(communicator, &group) : PMPI_Comm_group(communicator, &group);
  known.inter = inter != 0;
  known.world_ranks = world_ranks(group);
  known.has_members = true;
  if (inter) return;
  const Neighbors neighbors = neighbors_of(communicator);
  known.sources = real_positions(neighbors.sources);
  known.destinations = real_positions(neighbors.destinations);
  known.all_sources = static_cast<std::uint32_t>(neighbors.sources.size());
  known.all_destinations = static_cast<std::uint32_t>(neighbors.destinations.size());
}

Communicator* attached_with_lock(MPI_Comm communicator) {
  if (communicator == MPI_COMM_NULL) return nullptr;
  Communicator* known = nullptr;
  int attached = 0;
  if (PMPI_Comm_get_attr(communicator, communicator_keyval, static_cast<void*>(&known), &attached) !=
      MPI_SUCCESS)
    return nullptr;
  if (attached) return known;
  auto fresh = std::make_unique<Communicator>();
  if (PMPI_Comm_set_attr(communicator, communicator_keyval, fresh.get()) != MPI_SUCCESS) return nullptr;
  return fresh.release();
}

}  // namespace

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

Communicator* attached_to(MPI_Comm communicator) {
  const std::lock_guard lock(mutex);
  return attached_with_lock(communicator);
}

Communicator* find_communicator_slowly(MPI_Comm communicator) {
  const std::lock_guard lock(mutex);
  Communicator* const known = attached_with_lock(communicator);
  if (known && !known->has_members) learn_members(communicator, *known);
  return known;
}

Members* find_window_slowly(MPI_Win window) {
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

std::vector<std::uint32_t> take_freed_numbers() {
  const std::lock_guard lock(freed_mutex);
  return std::exchange(freed_numbers, {});
}

void remember_handles() {
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &free_of_communicator, &communicator_keyval, nullptr);
  PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, &free_of_window, &window_keyval, nullptr);
}

void forget_handles() {
  PMPI_Group_free(&world);
  PMPI_Comm_free_keyval(&communicator_keyval);
  PMPI_Win_free_keyval(&window_keyval);
}

}  // namespace plimsoll::interpose
