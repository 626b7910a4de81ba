#include "collectives/model/signature_index.hpp"

#include <algorithm>

#include "collectives/model/signature_hash.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

std::size_t SignatureIndex::find_or_add(const std::vector<Signature>& list, const Signature& signature) {
  const std::uint64_t hash = hash_of(signature);
  const auto [begin, end] = positions_.equal_range(hash);
  const auto present =
      std::find_if(begin, end, [&](const auto& entry) { return same_counts(list[entry.second], signature); });
  if (present != end) return present->second;
  positions_.emplace(hash, list.size());
  return list.size();
}

}  // namespace plimsoll::collectives
