#pragma once

#include <deque>
#include <string>
#include <string_view>

#include <plimsoll/support/hash.hpp>

#include "lbdata/reading/document.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Entities that the parser has read, by their text. Phases of a program repeat most entities of earlier
/// phases: comparing a whole text is faster than reading its numbers and finding the entity in a table.
class KeptEntities {
 public:
  /// Returns the entity with this text, or null.
  EntityRecord* find(std::string_view text) {
    if (text.size() > max_text || hits_ + 2 * max_entities < misses_) return nullptr;
    const std::uint32_t place = place_of(support::hash_bytes(text), text);
    if (place == support::PositionHash::none) {
      ++misses_;
      return nullptr;
    }
    ++hits_;
    return &kept_[place].record;
  }

  /// Keeps an entity whose text find() has not found. Returns its record, or null if it cannot be kept.
  EntityRecord* keep(std::string_view text, const EntityRecord& record) {
    if (text.size() > max_text || kept_.size() == max_entities) return nullptr;
    const auto place = static_cast<std::uint32_t>(kept_.size());
    places_.insert(support::hash_bytes(text), place,
                   [this](std::uint32_t other) { return support::hash_bytes(kept_[other].text); });
    Kept& kept = kept_.emplace_back();
    kept.text = text;
    kept.record.assign(record);
    kept.record.is_kept = true;
    return &kept.record;
  }

 private:
  static constexpr std::size_t max_entities = 4096;
  static constexpr std::size_t max_text = 512;

  struct Kept {
    std::string text;
    EntityRecord record;
  };

  std::uint32_t place_of(std::uint64_t hash, std::string_view text) const {
    return places_.find(hash, [&](std::uint32_t place) { return kept_[place].text == text; });
  }

  std::deque<Kept> kept_;  // whose records do not move
  support::PositionHash places_;
  std::size_t hits_ = 0;
  std::size_t misses_ = 0;
};

}  // namespace plimsoll::lbdata
