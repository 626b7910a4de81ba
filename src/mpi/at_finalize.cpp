#include <mpi.h>

#include <utility>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/environment.hpp>

#include "mpi/initialised.hpp"

namespace plimsoll::PLIMSOLL_ABI::mpi {

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

}  // namespace plimsoll::mpi
