#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Compresses the numbers in the words of a stream (rank_log::WordsRecord), at most rank_log::max_words. The
/// bytes contain, coded by range_coder.hpp: the smallest step and the number of bits of the differences from
/// it; then per word whether it is a call, and whether its step is the smallest unused one, else this
/// difference; or a distance and a count. All bits of a
/// difference have models, which depend on its higher bits. Therefore a call takes about log2(1 / p) bits if
/// a share p of the calls in the block has its step. O(bits).
std::vector<std::byte> pack(std::span<const std::uint64_t> words);

/// Appends `count` words that pack() compressed. Bytes that pack() cannot have written result in any words.
void unpack(std::span<const std::byte> bytes, std::uint32_t count, std::vector<std::uint64_t>& words);

}  // namespace plimsoll::collectives
