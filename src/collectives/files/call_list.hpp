#pragma once

#include <cstdint>
#include <string_view>

#include <plimsoll/collectives/number_list.hpp>

#include "collectives/files/findings.hpp"

namespace plimsoll::collectives {

/// The largest id of a call that is read, so that whoever counts past it stays within 64 bits.
inline constexpr std::uint64_t largest_id = UINT64_MAX / 2;

/// Reads a list of call ids, each once. Takes as many numbers from the budget. Throws Malformed.
NumberList read_call_list(std::string_view text, Budget& budget, std::uint64_t line);

}  // namespace plimsoll::collectives
