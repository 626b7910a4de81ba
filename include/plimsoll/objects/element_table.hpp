#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <plimsoll/objects/element_base.hpp>
#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

/// The elements of a collection on this rank, which it owns. Pointers to elements stay valid until they are
/// removed.
class ElementTable {
 public:
  std::size_t size() const { return rows_.size() - n_removed_; }

  /// Returns the element with this number, or nullptr. Expected time: O(1).
  ElementBase* find(std::uint64_t number) const {
    const std::uint32_t row = index_.find(support::mix_bits(number), [&](std::uint32_t k) {
      return rows_[k] != nullptr && rows_[k]->number_ == number;
    });
    return row == Index::none ? nullptr : rows_[row].get();
  }
  /// Adds an element whose number the table does not have.
  ElementBase& add(std::unique_ptr<ElementBase> element);
  /// Removes the element with this number and returns it; nullptr if the table does not have it. Time: O(1).
  std::unique_ptr<ElementBase> remove(std::uint64_t number);
  /// Frees the memory of removed rows if it is worth it. Not inside for_each().
  void compact();

  /// Calls `work(element)` for all elements. `work` may add and remove elements; it is not called for new
  /// ones.
  template <class Work>
  void for_each(Work&& work) const {
    const std::size_t count = rows_.size();
    for (std::size_t row = 0; row < count; ++row)
      if (rows_[row] != nullptr) work(*rows_[row]);
  }

 private:
  // The tags avoid reading other elements, each of which would be two cache misses.
  using Index = support::TaggedPositionHash;

  void add_to_index(std::uint32_t row);

  std::vector<std::unique_ptr<ElementBase>> rows_;  // nullptr where an element has been removed
  std::size_t n_removed_ = 0;
  Index index_;
};

}  // namespace plimsoll::objects
