#pragma once

#include <cstdint>
#include <string_view>

#include <plimsoll/collectives/number_list.hpp>

#include "collectives/files/findings.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// The largest accepted call ID. Later IDs in a run still fit into 64 bits.
inline constexpr std::uint64_t largest_id = UINT64_MAX / 2;

/// Reads a list of distinct call IDs and takes that many numbers from the budget. Throws Malformed.
NumberList read_call_list(std::string_view text, Budget& budget, std::uint64_t line);

}  // namespace plimsoll::collectives
