#pragma once

#include <cstdint>
#include <utility>

#include <plimsoll/objects/collection_base.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

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
