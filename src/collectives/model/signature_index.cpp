#include "collectives/model/signature_index.hpp"

#include <algorithm>

#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

std::uint64_t hash_of(const Signature& signature) {
  const std::uint64_t head[] = {signature.operation.index(), signature.comm_size, signature.send.type_size,
                                signature.recv.type_size};
  std::uint64_t hash = support::hash_bytes(head);
  for (const Side* side : {&signature.send, &signature.recv}) {
    hash = support::hash_bytes(side->type_sizes, hash);
    hash = support::hash_bytes(side->matrix.counts, hash);
    for (const NumberList& ranks : side->matrix.ranks) hash = support::hash_bytes(ranks.runs(), hash);
  }
  return hash;
}

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
