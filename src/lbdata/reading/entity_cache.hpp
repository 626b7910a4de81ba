#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>
#include <string_view>
#include <vector>

#include "lbdata/reading/document.hpp"

namespace plimsoll::inline v0_1::lbdata {

/// Entities parsed lately, by their text. Ends of communications name the same entities again and again;
/// recognising the text costs a third of parsing it.
class EntityCache {
 public:
  static constexpr std::size_t max_text = 160;

  struct Slot {
    EntityRecord record;
    std::size_t length = 0;  ///< of the text that `record` was parsed from, 0 for none
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

  /// Where the entity with this text is if it is here, and where to put it if not.
  Slot& slot(std::string_view text) {
    if (++lookups_ > 4 * slots_.size() && slots_.size() < max_slots) grow();
    return slots_[XXH3_64bits(text.data(), text.size()) % slots_.size()];
  }

 private:
  static constexpr std::size_t max_slots = 1024;

  /// Starts small, since many files are. What was remembered is soon met again.
  void grow() {
    const std::size_t size = slots_.empty() ? 16 : 4 * slots_.size();
    slots_.clear();
    slots_.resize(size);
  }

  std::vector<Slot> slots_;
  std::size_t lookups_ = 0;
};

}  // namespace plimsoll::lbdata
