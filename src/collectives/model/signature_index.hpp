#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Returns a hash. It is equal for signatures with same_counts(); other signatures rarely have equal hashes.
std::uint64_t hash_of(const Signature& signature);

/// Finds signatures in a list by their counts.
class SignatureIndex {
 public:
  /// Returns the position of the signature with the same counts. If none was added before, returns the list's
  /// size, and the caller must append it there.
  std::size_t find_or_add(const std::vector<Signature>& list, const Signature& signature);

 private:
  std::unordered_multimap<std::uint64_t, std::size_t> positions_;  // keyed by hash
};

}  // namespace plimsoll::collectives
