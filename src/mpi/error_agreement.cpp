#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/support/error.hpp>

#include "mpi/initialised.hpp"

namespace plimsoll::PLIMSOLL_ABI::mpi {

namespace {

/// The members of an Error that are not strings.
struct Numbers {
  ErrorKind kind = ErrorKind::system;
  Severity severity = Severity::error;
  std::optional<std::uint64_t> byte;
  std::optional<std::uint64_t> line;
  bool has_pointer = false;
};
static_assert(std::is_trivially_copyable_v<Numbers>);

/// Returns the error of `root` on all ranks. Collective.
Error broadcast(const Communicator& communicator, const std::optional<Error>& mine, int root) {
  const Diagnostic own = mine ? mine->diagnostic() : Diagnostic{};
  Numbers numbers;
  if (mine) numbers = {mine->kind(), own.severity, own.byte, own.line, own.pointer.has_value()};
  mpi::broadcast(communicator, std::as_writable_bytes(std::span(&numbers, 1)), root);

  Diagnostic sent{.severity = numbers.severity, .byte = numbers.byte, .line = numbers.line};
  sent.check = communicator.broadcast(own.check, root);
  sent.what = communicator.broadcast(own.what, root);
  sent.file = communicator.broadcast(own.file, root);
  if (numbers.has_pointer) sent.pointer = communicator.broadcast(own.pointer.value_or(""), root);
  sent.suggestion = communicator.broadcast(own.suggestion, root);
  return {numbers.kind, std::move(sent)};
}

/// Returns whether all ranks have this error. Collective.
bool all_ranks_have(const Communicator& communicator, const Error& error, const std::optional<Error>& mine) {
  const int same =
      mine && mine->kind() == error.kind() && std::string_view(mine->what()) == error.what() ? 1 : 0;
  int all_same = 0;
  check(MPI_Allreduce(&same, &all_same, 1, MPI_INT, MPI_MIN, communicator.handle()), "MPI_Allreduce");
  return all_same != 0;
}

}  // namespace

void agree(const Communicator& communicator, const std::optional<Error>& mine) {
  expect_running();
  const int failed = mine ? communicator.rank() : communicator.size();
  int lowest_failed = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Iallreduce(&failed, &lowest_failed, 1, MPI_INT, MPI_MIN, communicator.handle(), &request),
        "MPI_Iallreduce");
  wait(request);  // the work of another rank may take long
  if (lowest_failed < communicator.size()) throw_error_of(communicator, lowest_failed, mine);
}

void agreed(const Communicator& communicator, const std::function<void()>& work) {
  std::optional<Error> error;
  try {
    work();
  } catch (...) {
    error = support::current_error();
  }
  agree(communicator, error);
}

void throw_error_of(const Communicator& communicator, int failed_rank, const std::optional<Error>& mine) {
  const Error error = broadcast(communicator, mine, failed_rank);
  if (all_ranks_have(communicator, error, mine)) throw error;
  Diagnostic diagnostic = error.diagnostic();
  diagnostic.what = fmt::format("rank {}: {}", failed_rank, diagnostic.what);
  throw Error(error.kind(), std::move(diagnostic));
}

}  // namespace plimsoll::mpi
