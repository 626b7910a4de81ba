#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include <plimsoll/objects/collection_base.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

// The number in an element's ObjectId has 46 bits: 10 for its collection, counted from 1, and 36 for its
// position. Lower numbers remain for objects that the program registers itself; 2^46 - 1 is not valid.
inline constexpr int position_bits = 36;
inline constexpr std::uint64_t max_positions = std::uint64_t{1} << position_bits;
inline constexpr std::uint32_t max_collections = (1U << 10) - 2;

/// An element of one of the collections of a system.
struct ElementKey {
  std::uint32_t collection = 0;
  std::uint64_t position = 0;
};

inline std::uint64_t object_number_of(std::uint32_t collection, std::uint64_t position) {
  return (std::uint64_t{collection} + 1) << position_bits | position;
}

/// Returns the element with an object number; nothing if it is a number of the program.
inline std::optional<ElementKey> element_key(std::uint64_t object_number) {
  if (object_number < max_positions) return {};
  return ElementKey{static_cast<std::uint32_t>(object_number >> position_bits) - 1,
                    object_number % max_positions};
}

/// Identity of the element that is being constructed, for the constructor of ElementBase.
class NewElement {
 public:
  NewElement(CollectionBase& its_collection, std::uint64_t its_number, ObjectId its_id,
             ObjectHandle its_handle)
      : collection(its_collection), number(its_number), id(its_id), handle(its_handle), outer_(current) {
    current = this;
  }
  NewElement(const NewElement&) = delete;
  NewElement& operator=(const NewElement&) = delete;
  ~NewElement() { current = outer_; }

  /// Returns the identity, once: a constructor may construct other objects. Throws Error (usage) if no
  /// collection is creating an element.
  static const NewElement& take() {
    if (current == nullptr)
      throw support::usage_error("an element is constructed outside of a collection",
                                 "call insert() of its collection, or create a dense collection");
    return *std::exchange(current, nullptr);
  }

  CollectionBase& collection;
  std::uint64_t number;
  ObjectId id;
  ObjectHandle handle;

 private:
  static const NewElement* current;
  const NewElement* outer_;  // a constructor may create other elements
};

}  // namespace plimsoll::objects
