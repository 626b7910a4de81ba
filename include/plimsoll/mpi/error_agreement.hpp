#pragma once

#include <functional>
#include <optional>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {

/// Throws, on all ranks, the error of the lowest rank that has one, so that no rank waits for a failed rank.
/// Collective. The error text begins with "rank N: ", unless all ranks have the same error. Throws Error
/// (usage) if MPI is not running.
void agree(const Communicator& communicator, const std::optional<Error>& mine);

/// Runs `work` on each rank, then agrees on the errors that it threw. Collective. Exceptions other than Error
/// become an Error (system).
void agreed(const Communicator& communicator, const std::function<void()>& work);

/// Performs the second half of agree(), for callers that know from their own reduction that `failed_rank` is
/// the lowest rank with an error. Collective. `mine` is this rank's error, if any.
[[noreturn]] void throw_error_of(const Communicator& communicator, int failed_rank,
                                 const std::optional<Error>& mine);

}  // namespace plimsoll::mpi
