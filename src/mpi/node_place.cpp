#include <plimsoll/mpi/node_place.hpp>

namespace plimsoll::mpi {

NodePlace node_place(const Communicator& communicator) {
  NodePlace place;
  MPI_Comm node = MPI_COMM_NULL;
  check(MPI_Comm_split_type(communicator.handle(), MPI_COMM_TYPE_SHARED, communicator.rank(), MPI_INFO_NULL, &node),
        "MPI_Comm_split_type");
  MPI_Comm_rank(node, &place.rank);
  MPI_Comm_size(node, &place.size);

  // The lowest rank of each node counts the nodes before it and tells the others on its node.
  const int leads = place.rank == 0 ? 1 : 0;
  int code = MPI_Exscan(&leads, &place.id, 1, MPI_INT, MPI_SUM, communicator.handle());
  if (communicator.rank() == 0) place.id = 0;  // the one that MPI_Exscan leaves undefined
  if (code == MPI_SUCCESS) code = MPI_Bcast(&place.id, 1, MPI_INT, 0, node);
  MPI_Comm_free(&node);
  check(code, "MPI_Exscan");
  check(MPI_Allreduce(&leads, &place.node_count, 1, MPI_INT, MPI_SUM, communicator.handle()), "MPI_Allreduce");
  return place;
}

}  // namespace plimsoll::mpi
