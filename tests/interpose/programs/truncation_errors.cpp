// Library to preload that lets the completion of a truncated MPI_Ialltoallv or MPI_Alltoallv_init fail, as
// MPI defines. MPICH 4.0 does not report such errors.
#include <mpi.h>

#include <set>
#include <vector>

namespace {

std::set<MPI_Request> truncated;

void remember(const int* send_counts, const int* recv_counts, MPI_Request request) {
  if (recv_counts[0] < send_counts[0])
    truncated.insert(request);
  else
    truncated.erase(request);
}

}  // namespace

extern "C" {

int MPI_Ialltoallv(const void* sent, const int send_counts[], const int send_at[], MPI_Datatype send_type,
                   void* received, const int recv_counts[], const int recv_at[], MPI_Datatype recv_type,
                   MPI_Comm comm, MPI_Request* request) {
  const int code = PMPI_Ialltoallv(sent, send_counts, send_at, send_type, received, recv_counts, recv_at,
                                   recv_type, comm, request);
  remember(send_counts, recv_counts, *request);
  return code;
}

int MPI_Alltoallv_init(const void* sent, const int send_counts[], const int send_at[], MPI_Datatype send_type,
                       void* received, const int recv_counts[], const int recv_at[], MPI_Datatype recv_type,
                       MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  const int code = PMPI_Alltoallv_init(sent, send_counts, send_at, send_type, received, recv_counts, recv_at,
                                       recv_type, comm, info, request);
  remember(send_counts, recv_counts, *request);
  return code;
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const bool fails = truncated.contains(*request);
  const int code = PMPI_Wait(request, status);
  return fails ? MPI_ERR_TRUNCATE : code;
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  const std::vector<MPI_Request> before(requests, requests + count);
  int code = PMPI_Waitall(count, requests, statuses);
  for (int k = 0; k < count; ++k) {
    const bool fails = truncated.contains(before[static_cast<std::size_t>(k)]);
    if (statuses != MPI_STATUSES_IGNORE) statuses[k].MPI_ERROR = fails ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
    if (fails) code = MPI_ERR_IN_STATUS;
  }
  return code;
}
}
