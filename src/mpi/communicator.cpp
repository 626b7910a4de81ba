#include <fmt/format.h>

#include <utility>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/large_message.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::mpi {

namespace {

bool finalised() {
  int flag = 0;
  MPI_Finalized(&flag);
  return flag != 0;
}

void expect_usable(MPI_Comm parent) {
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (initialised == 0 || finalised()) {
    throw support::usage_error("MPI is not initialised, or finalised already",
                               "create it between MPI_Init and MPI_Finalize");
  }
  if (parent == MPI_COMM_NULL) throw support::usage_error("the communicator is MPI_COMM_NULL", "give a valid one");
  int inter = 0;
  check(MPI_Comm_test_inter(parent, &inter), "MPI_Comm_test_inter");
  if (inter != 0) {
    throw support::usage_error("the communicator is an inter-communicator", "merge it by MPI_Intercomm_merge");
  }
}

}  // namespace

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Error(ErrorKind::system, {.what = fmt::format("{} failed: {}", call, std::string_view(text, length))});
}

Communicator::Communicator(MPI_Comm parent) {
  expect_usable(parent);
  check(MPI_Comm_dup(parent, &handle_), "MPI_Comm_dup");
  check(MPI_Comm_set_errhandler(handle_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(handle_, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(handle_, &size_), "MPI_Comm_size");
}

Communicator::Communicator(Communicator&& other) noexcept
    : handle_(std::exchange(other.handle_, MPI_COMM_NULL)), rank_(other.rank_), size_(other.size_) {}

Communicator& Communicator::operator=(Communicator&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(rank_, other.rank_);
  std::swap(size_, other.size_);
  return *this;
}

Communicator::~Communicator() {
  if (handle_ != MPI_COMM_NULL && !finalised()) MPI_Comm_free(&handle_);
}

void Communicator::barrier() const {
  check(MPI_Barrier(handle_), "MPI_Barrier");
}

std::string Communicator::broadcast(std::string_view text, int root) const {
  unsigned long long size = text.size();
  check(MPI_Bcast(&size, 1, MPI_UNSIGNED_LONG_LONG, root, handle_), "MPI_Bcast");
  std::string result(rank_ == root ? text : std::string_view());
  result.resize(size);
  mpi::broadcast(*this, std::as_writable_bytes(std::span(result)), root);
  return result;
}

}  // namespace plimsoll::mpi
