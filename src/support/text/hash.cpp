#define XXH_INLINE_ALL
#include <xxhash.h>

#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

Hash128 hash_bytes_128(std::span<const std::byte> bytes, std::uint64_t seed) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed);
  return {hash.low64, hash.high64};
}

struct RunningHash::State {
  XXH3_state_t hash;
};

RunningHash::RunningHash() : state_(new State) {
  XXH3_64bits_reset(&state_->hash);
}

void RunningHash::Free::operator()(State* state) const {
  delete state;
}

void RunningHash::add(std::span<const std::byte> bytes) {
  XXH3_64bits_update(&state_->hash, bytes.data(), bytes.size());
}

std::uint64_t RunningHash::value() const {
  return XXH3_64bits_digest(&state_->hash);
}

}  // namespace plimsoll::support
