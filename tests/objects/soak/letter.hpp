#pragma once

#include <cereal/types/vector.hpp>

#include <cstdint>
#include <vector>

#include <plimsoll/support/hash.hpp>

namespace plimsoll::testing {

/// Returns a number that looks random, from two others.
inline std::uint64_t mixed(std::uint64_t first, std::uint64_t second) {
  return support::mix_splitmix64(support::mix_splitmix64(first + support::splitmix64_step) + second);
}

/// Message whose content follows from its number and its hops, so that the receiver can check it.
struct Letter {
  std::uint64_t id = 0;
  int hops = 0;  ///< that it still makes after its receiver
  std::vector<std::uint64_t> words;

  Letter() = default;
  Letter(std::uint64_t id_, int hops_) : id(id_), hops(hops_), words(word_count()) {
    for (std::size_t k = 0; k < words.size(); ++k) words[k] = mixed(id, k);
  }

  /// Number that a receiver adds to the sum of what it has received.
  std::uint64_t value() const { return mixed(id, 1'000'000 + static_cast<std::uint64_t>(hops)); }
  bool is_intact() const { return words == Letter(id, hops).words; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(id, hops, words);
  }

 private:
  // Most letters are short or empty, some fill a buffer, and a few have up to 320 KiB.
  std::size_t word_count() const {
    const std::uint64_t random = value();
    const std::uint64_t limit = random % 100 == 0 ? 40'960 : random % 10 == 1 ? 4'096 : 20;
    return random / 1'000 % limit;
  }
};

}  // namespace plimsoll::testing
