#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "objects/checkpoint/checkpoint_format.hpp"

namespace plimsoll::testing {

using CheckpointBytes = std::vector<std::byte>;

/// Elements of a checkpoint: state by collection and number.
using CheckpointContents = std::map<std::pair<std::uint32_t, std::uint64_t>, CheckpointBytes>;

inline CheckpointBytes to_bytes(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// Returns the bytes of consecutive numbers; the first one depends on `seed`.
inline CheckpointBytes state_of(std::size_t bytes, std::uint64_t seed) {
  std::vector<std::uint64_t> words(bytes / sizeof(std::uint64_t) + 1);
  std::iota(words.begin(), words.end(), seed * 0x9e3779b97f4a7c15);
  const auto all = std::as_bytes(std::span(words)).first(bytes);
  return {all.begin(), all.end()};
}

/// Returns a text with a flipped bit.
inline std::string flipped(std::string text, std::size_t byte, int bit) {
  text[byte] = static_cast<char>(static_cast<unsigned char>(text[byte]) ^ (1U << bit));
  return text;
}

/// Adds the elements to a writer of any kind.
template <class Writer>
void add_all(Writer& writer, const CheckpointContents& contents) {
  for (const auto& [key, state] : contents)
    writer.add({.collection = key.first, .number = key.second, .bytes = state});
}

/// Adds an element that was read.
inline void collect(const objects::CheckpointRecord& record, CheckpointContents& contents) {
  contents[{record.collection, record.number}].assign(record.bytes.begin(), record.bytes.end());
}
/// Collects the elements of collections 0 and 1 from a reader of this rank.
template <class Reader>
void collect_all(Reader& reader, CheckpointContents& contents) {
  for (const std::uint32_t collection : {0U, 1U})
    while (const auto record = reader.next(collection)) collect(*record, contents);
}

/// Returns whether each element is also in `all`, with the same state.
inline bool is_part_of(const CheckpointContents& contents, const CheckpointContents& all) {
  return std::ranges::all_of(contents, [&](const auto& element) {
    const auto found = all.find(element.first);
    return found != all.end() && found->second == element.second;
  });
}

}  // namespace plimsoll::testing
