#pragma once

#include <cstddef>

#include <plimsoll/objects/element_base.hpp>
#include <plimsoll/objects/index.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

template <class T>
class Collection;
template <class T>
class ElementProxy;

/// Base class of the elements of a Collection: `struct Cell : plimsoll::Element<Cell, 2> { ... };`
///
/// Messages call member functions of the element. An element that migrates needs a default constructor and a
/// cereal `serialize(Archive&)` of its own members.
template <class T, std::size_t dimensions_ = 1>
class Element : public ElementBase {
 public:
  static constexpr std::size_t dimensions = dimensions_;

  /// Returns the position of this element in its collection; valid in the constructor, too.
  const Index<dimensions>& index() const { return index_; }
  /// Returns the collection of this element, to send messages to others, and for its bounds() and count().
  Collection<T>& collection() const { return static_cast<Collection<T>&>(collection_base()); }
  /// Returns the address of this element, e.g. for contribute().
  ElementProxy<T> proxy() const { return {collection(), number()}; }

 protected:
  Element() : index_(static_cast<Collection<T>&>(collection_base()).bounds().index_of(number())) {}

 private:
  Index<dimensions> index_;
};

}  // namespace plimsoll::objects

namespace plimsoll::PLIMSOLL_ABI {
using objects::Element;
}  // namespace plimsoll
