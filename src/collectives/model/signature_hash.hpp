#pragma once

#include <cstdint>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::inline v0_1::collectives {

/// Returns a hash that is equal for signatures with the same_counts(), and rarely for others.
std::uint64_t hash_of(const Signature& signature);

}  // namespace plimsoll::collectives
