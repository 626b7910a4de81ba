#pragma once

#include <functional>
#include <optional>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::inline v0_1::mpi {

/// Collective: if any rank has an error, the one of the lowest such rank is thrown on all ranks, so that none
/// waits for one that has gone. What is wrong begins with "rank N: ", unless all ranks have the same error.
/// Throws Error (usage) if MPI is not running.
void agree(const Communicator& communicator, const std::optional<Error>& mine);

/// Collective: runs `work` on each rank, then agrees on the errors that it threw. Exceptions other than Error
/// become one (system).
void agreed(const Communicator& communicator, const std::function<void()>& work);

/// Collective: the second half of agree(), for who has already found out by a reduction of its own that
/// `failed_rank` is the lowest rank with an error. `mine` is this rank's, if any.
[[noreturn]] void throw_error_of(const Communicator& communicator, int failed_rank,
                                 const std::optional<Error>& mine);

}  // namespace plimsoll::mpi
