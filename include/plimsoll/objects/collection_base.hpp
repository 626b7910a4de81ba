#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/objects/element.hpp>
#include <plimsoll/objects/index.hpp>
#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

/// The elements of a collection on this rank, which it owns. Pointers to elements stay valid until they are
/// removed.
class ElementTable {
 public:
  std::size_t size() const { return rows_.size() - n_removed_; }

  /// Returns the element with this number, or nullptr. Expected time: O(1).
  ElementBase* find(std::uint64_t number) const {
    const std::uint32_t row = row_of(number);
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

  std::uint32_t row_of(std::uint64_t number) const {
    return index_.find(support::mix_bits(number),
                       [&](std::uint32_t k) { return rows_[k] != nullptr && rows_[k]->number_ == number; });
  }
  void add_to_index(std::uint32_t row);
  std::vector<std::unique_ptr<ElementBase>> rows_;  // nullptr where an element has been removed
  std::size_t n_removed_ = 0;
  Index index_;
};

/// Part of a collection that does not depend on the type of its elements.
class CollectionBase {
 public:
  CollectionBase(const CollectionBase&) = delete;
  CollectionBase& operator=(const CollectionBase&) = delete;
  virtual ~CollectionBase();

  const std::string& name() const { return properties_.name; }
  ObjectSystem& system() const { return system_; }
  /// Returns the number of the collection in its system, in the order of creation, from 0.
  std::uint32_t number() const { return number_; }
  /// Returns the number of elements on this rank.
  std::size_t local_count() const { return table_.size(); }
  /// Returns the number of elements on all ranks when no message was left last, or at the creation of the
  /// collection. The constructors of its first elements get the number that it will have.
  std::uint64_t count() const;
  /// Returns how many messages this rank has dropped because their receivers do not exist
  /// (ElementProxy::send_or_drop(), CollectionOptions::drop_undeliverable). A message is dropped on the last
  /// rank that could have known its receiver, which need not be the sender's: add up the numbers of all
  /// ranks.
  std::uint64_t dropped_messages() const { return dropped_messages_; }
  /// Returns how many messages wait in the elements on this rank, because they belong to later steps
  /// (ElementBase::when()). Cost: O(elements on this rank).
  std::uint64_t early_messages() const;

 protected:
  /// Options of the collection, regardless of its dimensions.
  struct Properties {
    std::string name;
    std::string type;                 ///< of the elements
    std::vector<std::int64_t> sizes;  ///< number of positions in each dimension
    bool is_dense = true;
    InitialMap map;
    bool migratable = true;
    bool measured = true;
    bool drop_undeliverable = false;
    std::uint64_t max_early_bytes = 0;
    bool is_group = false;  ///< object group: one element per rank
  };

  /// Collective. Throws Error (usage) on all ranks if they specify different properties, for no positions,
  /// and for more positions than IDs allow.
  CollectionBase(ObjectSystem& system, Properties properties);

  /// Constructs an element of the derived class, whose constructor takes over the identity.
  virtual std::unique_ptr<ElementBase> construct_default() = 0;
  virtual std::size_t packed_bytes(ElementBase& element) = 0;
  virtual void pack(ElementBase& element, std::span<std::byte> bytes) = 0;
  virtual std::size_t unpack(ElementBase& element, std::span<const std::byte> bytes) = 0;
  /// Returns the position of an element for people: "(3, 4)".
  virtual std::vector<std::int64_t> index_of(std::uint64_t number) const = 0;

  int home_of(std::uint64_t number) const;
  bool is_home(std::uint64_t number) const;
  /// Returns a hash of the homes of all positions, or of 65,536 of them if the collection is sparse.
  std::uint64_t hash_of_homes() const;
  [[noreturn]] void homes_differ() const;
  const ElementTable& table() const { return table_; }
  [[noreturn]] void out_of_bounds(std::span<const std::int64_t> index) const;
  [[noreturn]] void cannot_be_packed(const char* missing) const;

 private:
  friend class ObjectSystem;
  friend class ElementBase;

  /// Describes the collection in errors.
  std::string description() const;
  std::uint64_t count_of_positions() const;

  ObjectSystem& system_;
  Properties properties_;
  std::uint64_t n_positions_ = 0;
  std::uint32_t number_ = 0;
  std::uint64_t collection_id_ = 0;  // of the recorder
  std::uint64_t dropped_messages_ = 0;
  ElementTable table_;
};

}  // namespace plimsoll::objects
