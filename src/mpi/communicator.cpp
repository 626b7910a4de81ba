#include <fmt/format.h>

#include <span>
#include <utility>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/support/error.hpp>

#include "mpi/initialised.hpp"
#include "mpi/owned_handle.hpp"

namespace plimsoll::PLIMSOLL_ABI::mpi {

namespace {

void expect_usable(MPI_Comm parent) {
  expect_running();
  if (parent == MPI_COMM_NULL)
    throw support::usage_error("invalid communicator MPI_COMM_NULL", "use a valid communicator");
  int inter = 0;
  check(MPI_Comm_test_inter(parent, &inter), "MPI_Comm_test_inter");
  if (inter != 0) {
    throw support::usage_error("invalid inter-communicator: expected an intra-communicator",
                               "use MPI_Intercomm_merge");
  }
}

}  // namespace

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Error(ErrorKind::system,
              {.what = fmt::format("{} failed: {}", call, std::string_view(text, length))});
}

// Delegates, so that the destructor frees the duplicate if a later call throws.
Communicator::Communicator(MPI_Comm parent) : Communicator() {
  expect_usable(parent);
  // Omit the program's hints, which MPI_Comm_dup of MPI-3 copies. They may assert properties that Plimsoll
  // violates, for example that no rank receives from MPI_ANY_SOURCE.
  check(MPI_Comm_dup_with_info(parent, MPI_INFO_NULL, &handle_), "MPI_Comm_dup_with_info");
  check(MPI_Comm_set_errhandler(handle_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(handle_, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(handle_, &size_), "MPI_Comm_size");
}

Communicator::Communicator(Communicator&& other) noexcept
    : handle_(std::exchange(other.handle_, MPI_COMM_NULL)), rank_(other.rank_), size_(other.size_) {}

Communicator& Communicator::operator=(Communicator&& other) noexcept {
  Communicator taken(std::move(other));
  std::swap(handle_, taken.handle_);
  std::swap(rank_, taken.rank_);
  std::swap(size_, taken.size_);
  return *this;
}

Communicator::~Communicator() {
  if (handle_ != MPI_COMM_NULL && !finalised()) MPI_Comm_free(&handle_);
}

void Communicator::barrier() const {
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Ibarrier(handle_, &request), "MPI_Ibarrier");
  mpi::wait(request);
}

std::string Communicator::broadcast(std::string_view text, int root) const {
  unsigned long long size = text.size();
  check(MPI_Bcast(&size, 1, MPI_UNSIGNED_LONG_LONG, root, handle_), "MPI_Bcast");
  std::string result(rank_ == root ? text : std::string_view());
  result.resize(size);
  mpi::broadcast(*this, std::as_writable_bytes(std::span(result)), root);
  return result;
}

void Communicator::all_reduce_bytes(const void* mine, void* result, int size_bytes,
                                    MPI_User_function* merge_all, const Wait& wait) const {
  expect_running();
  OwnedHandle<MPI_Datatype, &MPI_Type_free> type(MPI_DATATYPE_NULL);
  check(MPI_Type_contiguous(size_bytes, MPI_BYTE, type.address()), "MPI_Type_contiguous");
  check(MPI_Type_commit(type.address()), "MPI_Type_commit");
  OwnedHandle<MPI_Op, &MPI_Op_free> operation(MPI_OP_NULL);
  check(MPI_Op_create(merge_all, /*commute=*/0, operation.address()), "MPI_Op_create");
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Iallreduce(mine, result, 1, type.get(), operation.get(), handle_, &request), "MPI_Iallreduce");
  wait(request);
}

}  // namespace plimsoll::mpi
