#include "collectives/model/signature_hash.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <vector>

namespace plimsoll::inline v0_1::collectives {

namespace {

template <class Number>
std::uint64_t hash_of(const std::vector<Number>& numbers, std::uint64_t seed) {
  return XXH3_64bits_withSeed(numbers.data(), numbers.size() * sizeof(Number), seed);
}

}  // namespace

std::uint64_t hash_of(const Signature& signature) {
  const std::uint64_t head[] = {signature.operation.index(), signature.comm_size, signature.send.type_size,
                                signature.recv.type_size};
  std::uint64_t hash = XXH3_64bits(head, sizeof head);
  for (const Side* side : {&signature.send, &signature.recv}) {
    hash = hash_of(side->type_sizes, hash);
    hash = hash_of(side->matrix.counts, hash);
    for (const NumberList& ranks : side->matrix.ranks) hash = hash_of(ranks.runs(), hash);
  }
  return hash;
}

}  // namespace plimsoll::collectives
