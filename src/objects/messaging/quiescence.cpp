#include "objects/messaging/quiescence.hpp"

#include <plimsoll/mpi/backoff.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::inline v0_1::objects {

Quiescence::~Quiescence() {
  int mpi_is_finalised = 0;
  MPI_Finalized(&mpi_is_finalised);
  if (mpi_is_finalised != 0) return;
  try {
    // Ranks may have joined different numbers of waves. All leave after the first wave in which all want to.
    do {
      if (request_ == MPI_REQUEST_NULL) start_wave({.ranks_leaving = 1});
      mpi::wait(request_);
    } while (all_.ranks_leaving < communicator_.size());
  } catch (const Error&) {
    return;  // MPI has failed, so that the other ranks cannot be waited for
  }
}

bool Quiescence::is_reached(std::int64_t sent, std::int64_t received) {
  if (request_ != MPI_REQUEST_NULL) {
    if (!wave_is_complete()) return false;
    if (all_.ranks_leaving > 0) {
      throw Error(ErrorKind::system, {.what = "another rank has stopped waiting for messages",
                                      .suggestion = "check the error of that rank"});
    }
    const bool is_quiet = all_.sent == all_.received && all_ == previous_;
    previous_ = all_;
    if (is_quiet) {
      previous_.reset();
      return true;
    }
  }
  start_wave({.sent = sent, .received = received});
  return false;
}

void Quiescence::start_wave(const Sums& mine) {
  static_assert(sizeof(Sums) == 3 * sizeof(std::int64_t));
  mine_ = mine;
  mpi::check(MPI_Iallreduce(&mine_, &all_, 3, MPI_INT64_T, MPI_SUM, communicator_.handle(), &request_),
             "MPI_Iallreduce");
}

bool Quiescence::wave_is_complete() {
  int is_complete = 0;
  mpi::check(MPI_Test(&request_, &is_complete, MPI_STATUS_IGNORE), "MPI_Test");
  return is_complete != 0;
}

}  // namespace plimsoll::objects
