#pragma once

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {

// Tags of this module's own point-to-point messages, near the largest tag that MPI guarantees (32,767). Users
// of send() and receive() choose smaller ones.
inline constexpr int parcel_tag = 32'700;
inline constexpr int offer_tag = 32'701;
inline constexpr int answer_tag = 32'702;
inline constexpr int content_tag = 32'703;

}  // namespace plimsoll::mpi
