#include "interpose/lifecycle/bytes_of_ranks.hpp"

#include <exception>

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

constexpr int bytes_tag = 3;

std::string receive(MPI_Comm comm, int rank) {
  MPI_Status status = {};
  int size = 0;
  PMPI_Send(nullptr, 0, MPI_BYTE, rank, bytes_tag, comm);
  PMPI_Probe(rank, bytes_tag, comm, &status);
  PMPI_Get_count(&status, MPI_BYTE, &size);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  PMPI_Recv(bytes.data(), size, MPI_BYTE, rank, bytes_tag, comm, MPI_STATUS_IGNORE);
  return bytes;
}

}  // namespace

void for_bytes_of_ranks(MPI_Comm comm, const std::string& own,
                        const std::function<void(int rank, std::string_view bytes)>& visit) {
  int rank = 0;
  int ranks = 0;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  if (rank != 0) {
    PMPI_Recv(nullptr, 0, MPI_BYTE, 0, bytes_tag, comm, MPI_STATUS_IGNORE);
    PMPI_Send(own.data(), static_cast<int>(own.size()), MPI_BYTE, 0, bytes_tag, comm);
    return;
  }
  std::exception_ptr failure;
  for (int from = 0; from < ranks; ++from) try {
      const std::string bytes = from == 0 ? own : receive(comm, from);
      if (!failure) visit(from, bytes);
    } catch (const std::exception&) {
      failure = std::current_exception();
    }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace plimsoll::interpose
