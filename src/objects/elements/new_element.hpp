#pragma once

#include <cstdint>

#include <plimsoll/objects/collection_base.hpp>
#include <plimsoll/support/contract.hpp>

namespace plimsoll::inline v0_1::objects {

/// Identity of the element that is being constructed, for the constructor of ElementBase.
class NewElement {
 public:
  NewElement(CollectionBase& collection_, std::uint64_t number_, ObjectId id_, ObjectHandle handle_)
      : collection(collection_), number(number_), id(id_), handle(handle_), outer_(current_) {
    current_ = this;
  }
  NewElement(const NewElement&) = delete;
  NewElement& operator=(const NewElement&) = delete;
  ~NewElement() { current_ = outer_; }

  static const NewElement& current() {
    PLIMSOLL_EXPECT(current_ != nullptr);  // only collections construct elements
    return *current_;
  }

  CollectionBase& collection;
  std::uint64_t number;
  ObjectId id;
  ObjectHandle handle;

 private:
  friend class ElementBase;

  static const NewElement* current_;
  const NewElement* outer_;  // a constructor may create other elements
};

}  // namespace plimsoll::objects
