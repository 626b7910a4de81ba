#include <mpi.h>

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/hash.hpp>

#include "mpi/owned_handle.hpp"

namespace plimsoll::PLIMSOLL_ABI::mpi {

bool initialised() {
  int flag = 0;
  MPI_Initialized(&flag);
  return flag != 0;
}

bool finalised() {
  int flag = 0;
  MPI_Finalized(&flag);
  return flag != 0;
}

void expect_running() {
  if (initialised() && !finalised()) return;
  throw support::usage_error("MPI is not initialised, or already finalised",
                             "call this function between MPI_Init and MPI_Finalize");
}

Environment::Environment(int* argc, char*** argv) {
  if (finalised())
    throw support::usage_error("MPI is already finalised", "use Environment only before MPI_Finalize");
  if (initialised()) return;
  int provided = MPI_THREAD_SINGLE;
  check(MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  initialised_here_ = true;
}

Environment::~Environment() {
  if (initialised_here_ && !finalised()) MPI_Finalize();
}

bool Environment::allows_threads() {
  expect_running();
  int level = MPI_THREAD_SINGLE;
  check(MPI_Query_thread(&level), "MPI_Query_thread");
  return level >= MPI_THREAD_FUNNELED;
}

namespace {

// Never destroyed, because static objects of the program may be registered until the process ends.
std::vector<const AtFinalize*>& registered() {
  static auto& all = *new std::vector<const AtFinalize*>;
  return all;
}

// MPI calls this at the beginning of MPI_Finalize.
int run_all(MPI_Comm, int, void*, void*) noexcept {
  while (!registered().empty()) {
    const AtFinalize* last = registered().back();
    registered().pop_back();
    try {
      last->run();
    } catch (...) {  // MPI cannot pass it on
    }
  }
  return MPI_SUCCESS;
}

void expect_finalize() {
  int key = MPI_KEYVAL_INVALID;
  check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, run_all, &key, nullptr), "MPI_Comm_create_keyval");
  check(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr), "MPI_Comm_set_attr");
  check(MPI_Comm_free_keyval(&key), "MPI_Comm_free_keyval");  // exists as long as the attribute
}

}  // namespace

AtFinalize::AtFinalize(std::function<void()> work) : work_(std::move(work)) {
  expect_running();
  static const bool expected = (expect_finalize(), true);
  static_cast<void>(expected);
  registered().push_back(this);
}

AtFinalize::~AtFinalize() {
  std::erase(registered(), this);
}

std::uint64_t host_number() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  check(MPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
  return support::hash_bytes(std::string_view(name.data(), static_cast<std::size_t>(length)));
}

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
