#include <plimsoll/mpi/environment.hpp>

#include "mpi/owned_handle.hpp"

namespace plimsoll::PLIMSOLL_ABI::mpi {

NodePlace node_place(const Communicator& communicator) {
  NodePlace place;
  OwnedHandle<MPI_Comm, &MPI_Comm_free> node(MPI_COMM_NULL);
  check(MPI_Comm_split_type(communicator.handle(), MPI_COMM_TYPE_SHARED, communicator.rank(), MPI_INFO_NULL,
                            node.address()),
        "MPI_Comm_split_type");
  check(MPI_Comm_rank(node.get(), &place.rank), "MPI_Comm_rank");
  check(MPI_Comm_size(node.get(), &place.size), "MPI_Comm_size");

  // The lowest rank of each node counts the nodes before it and sends the number to the others on its node.
  const int leads = place.rank == 0 ? 1 : 0;
  check(MPI_Exscan(&leads, &place.id, 1, MPI_INT, MPI_SUM, communicator.handle()), "MPI_Exscan");
  if (communicator.rank() == 0) place.id = 0;  // MPI_Exscan leaves the result undefined on rank 0
  check(MPI_Bcast(&place.id, 1, MPI_INT, 0, node.get()), "MPI_Bcast");
  check(MPI_Allreduce(&leads, &place.node_count, 1, MPI_INT, MPI_SUM, communicator.handle()),
        "MPI_Allreduce");
  return place;
}

}  // namespace plimsoll::mpi
