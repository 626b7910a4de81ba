#include "interpose/handles/own_communicator.hpp"

#include <atomic>

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

constexpr int max_communicators = 100;  // MPICH has 2,048 for the program and this library
std::atomic<int> communicators = 0;

/// Lets errors return during its lifetime, instead of ending the program.
class ReturnedErrors {
 public:
  explicit ReturnedErrors(MPI_Comm comm) : comm_(comm) {
    PMPI_Comm_get_errhandler(comm, &of_program_);
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  ReturnedErrors(const ReturnedErrors&) = delete;
  ReturnedErrors& operator=(const ReturnedErrors&) = delete;
  ~ReturnedErrors() {
    PMPI_Comm_set_errhandler(comm_, of_program_);
    PMPI_Errhandler_free(&of_program_);
  }

 private:
  MPI_Comm comm_;
  MPI_Errhandler of_program_ = MPI_ERRHANDLER_NULL;
};

}  // namespace

MPI_Comm own_communicator_like(MPI_Comm communicator) {
  const ReturnedErrors returned(communicator);
  int agreed = communicators.load() < max_communicators;
  PMPI_Allreduce(MPI_IN_PLACE, &agreed, 1, MPI_INT, MPI_MIN, communicator);
  if (!agreed) return MPI_COMM_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm own = MPI_COMM_NULL;
  PMPI_Comm_group(communicator, &group);
  const int code = PMPI_Comm_create(communicator, group, &own);
  PMPI_Group_free(&group);
  if (code != MPI_SUCCESS) return MPI_COMM_NULL;
  PMPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  ++communicators;
  return own;
}

void free_own_communicator(MPI_Comm own) {
  PMPI_Comm_free(&own);
  --communicators;
}

}  // namespace plimsoll::interpose
