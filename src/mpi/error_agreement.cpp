#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>

#include <plimsoll/mpi/error_agreement.hpp>

namespace plimsoll::mpi {

namespace {

void merge_lowest(int& left, int right) {
  left = std::min(left, right);
}

}  // namespace

void agree(const Communicator& communicator, const std::optional<Error>& mine) {
  constexpr int none = std::numeric_limits<int>::max();
  const int failed = communicator.all_reduce<&merge_lowest>(mine ? communicator.rank() : none);
  if (failed != none) throw_error_of(communicator, failed, mine);
}

void agreed(const Communicator& communicator, const std::function<void()>& work) {
  std::optional<Error> error;
  try {
    work();
  } catch (...) {
    error = current_error();
  }
  agree(communicator, error);
}

Error current_error() {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return {ErrorKind::system, {.what = "out of memory"}};
  } catch (const std::exception& error) {
    return {ErrorKind::system, {.what = error.what()}};
  } catch (...) {
    return {ErrorKind::system, {.what = "an exception of unknown type"}};
  }
}

void throw_error_of(const Communicator& communicator, int failed_rank, const std::optional<Error>& mine) {
  const bool is_mine = communicator.rank() == failed_rank;
  int kind = is_mine ? static_cast<int>(mine->kind()) : 0;
  check(MPI_Bcast(&kind, 1, MPI_INT, failed_rank, communicator.handle()), "MPI_Bcast");
  const Diagnostic own = is_mine ? mine->diagnostic() : Diagnostic{};
  Diagnostic agreed;
  agreed.what = fmt::format("rank {}: {}", failed_rank, communicator.broadcast(own.what, failed_rank));
  agreed.file = communicator.broadcast(own.file, failed_rank);
  agreed.check = communicator.broadcast(own.check, failed_rank);
  agreed.suggestion = communicator.broadcast(own.suggestion, failed_rank);
  throw Error(static_cast<ErrorKind>(kind), std::move(agreed));
}

}  // namespace plimsoll::mpi
