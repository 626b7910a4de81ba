#pragma once

#include <cstring>
#include <string_view>
#include <vector>

#include <plimsoll/support/hash.hpp>

#include "lbdata/reading/document.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Cache of recently parsed entities by their text. Ends of communications repeat the same entities;
/// recognising the text costs a third of parsing it.
class EntityCache {
 public:
  static constexpr std::size_t max_text = 160;

  struct Slot {
    EntityRecord record;
    std::size_t length = 0;  ///< length of the text of `record`, 0 for none
    char text[max_text];

    bool holds(std::string_view other) const {
      return length != 0 && length == other.size() && std::memcmp(text, other.data(), length) == 0;
    }
    void remember(std::string_view new_text) {
      length = new_text.size();
      new_text.copy(text, length);
    }
    void forget() { length = 0; }
  };

  /// Returns the slot of the entity with this text, or the slot to store it in.
  Slot& slot(std::string_view text) {
    if (++lookups_ > 4 * slots_.size() && slots_.size() < max_slots) grow();
    return slots_[support::hash_bytes(text) % slots_.size()];
  }

 private:
  static constexpr std::size_t max_slots = 1024;

  /// Grows the cache, which starts small for small files. Dropped entities are soon parsed again.
  void grow() {
    const std::size_t size = slots_.empty() ? 16 : 4 * slots_.size();
    slots_.clear();
    slots_.resize(size);
  }

  std::vector<Slot> slots_;
  std::size_t lookups_ = 0;
};

}  // namespace plimsoll::lbdata
