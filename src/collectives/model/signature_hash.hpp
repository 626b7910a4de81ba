#pragma once

#include <cstdint>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::inline v0_1::collectives {

/// Equal for signatures with the same_counts(), and for others rarely.
std::uint64_t hash_of(const Signature& signature);

}  // namespace plimsoll::collectives
