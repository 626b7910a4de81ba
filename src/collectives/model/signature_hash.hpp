#pragma once

#include <cstdint>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Returns a hash. It is equal for signatures with same_counts(); other signatures rarely have equal hashes.
std::uint64_t hash_of(const Signature& signature);

}  // namespace plimsoll::collectives
