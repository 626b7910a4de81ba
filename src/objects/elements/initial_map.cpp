#include <plimsoll/objects/index.hpp>
#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

int block_map(std::uint64_t number, std::uint64_t count, int ranks) {
  // Numbers have 36 bits and ranks 21, so that the product fits.
  return static_cast<int>(number * static_cast<std::uint64_t>(ranks) / count);
}

int round_robin_map(std::uint64_t number, std::uint64_t, int ranks) {
  return static_cast<int>(number % static_cast<std::uint64_t>(ranks));
}

int hash_map(std::uint64_t number, std::uint64_t, int ranks) {
  return static_cast<int>(support::mix_bits(number) % static_cast<std::uint64_t>(ranks));
}

}  // namespace plimsoll::objects
