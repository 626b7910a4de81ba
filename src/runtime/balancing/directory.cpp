#include <mpi.h>

#include <array>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/runtime/directory.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/balancing/directory_state.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Returns on all ranks whether `work` returns true on any rank, or throws the error of the lowest rank where
/// it throws. Like mpi::agreed(), but with a result and nevertheless only one reduction.
bool Directory::State::agreed_on_any(const std::function<bool()>& work) const {
  std::optional<Error> error;
  std::array<int, 2> mine = {communicator_.size(), 1};  // lowest rank with an error; 0 if any is true
  try {
    if (work()) mine[1] = 0;
  } catch (...) {
    error = support::current_error();
    mine[0] = communicator_.rank();
  }
  std::array<int, 2> all{};
  mpi::check(MPI_Allreduce(mine.data(), all.data(), 2, MPI_INT, MPI_MIN, communicator_.handle()),
             "MPI_Allreduce");
  if (all[0] < communicator_.size()) mpi::throw_error_of(communicator_, all[0], error);
  return all[1] == 0;
}

Directory::Directory(const mpi::Communicator& communicator, std::size_t max_remembered)
    : state_(std::make_unique<State>(communicator, max_remembered)) {}
Directory::Directory(Directory&&) noexcept = default;
Directory& Directory::operator=(Directory&&) noexcept = default;
Directory::~Directory() = default;

void Directory::update(std::span<const ObjectId> here) {
  state_->update(here);
}

std::vector<int> Directory::owner(std::span<const ObjectId> ids) {
  return state_->owner(ids);
}

int Directory::directory_rank(ObjectId id) const {
  return state_->directory_rank_of(id);
}

std::optional<int> Directory::declared_rank(ObjectId id) const {
  const int rank = state_->declared_rank(id);
  if (rank == no_rank) return {};
  return rank;
}

std::optional<int> Directory::known_owner(ObjectId id) const {
  const int rank = state_->known_owner(id);
  return rank == no_rank ? std::nullopt : std::optional(rank);
}

}  // namespace plimsoll::runtime
