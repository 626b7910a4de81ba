#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <plimsoll/objects/handler.hpp>
#include <plimsoll/objects/object_system.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

template <class T>
class Collection;

/// Some elements of a collection, wherever they are (Charm++: CProxySection):
///
///     const auto row = cells.section({3, 0}, {4, 16});  // positions (3, 0) to (3, 15)
///     row.broadcast<&Cell::add>(row.id());
///
///     void Cell::add(const plimsoll::SectionId& row) {
///       contribute<&Cell::keep, std::plus<>>(value, collection()[{3, 0}], row);
///     }
///
/// Sections are values that any rank, and any element, makes with Collection::section() without
/// communication. Each takes 8 bytes per member.
template <class T>
class Section {
 public:
  /// Calls a member function of all members, in run_until_quiet(). Each rank that has members receives one
  /// message with the list of its members. A member that does not exist is an error, like any other receiver
  /// that does not exist. Cost: O(members).
  template <auto method, class... Each>
  void broadcast(Each&&... arguments) const {
    expect_member_of<T, method>();
    collection_->system().template broadcast_to<method>(*collection_, members_,
                                                        std::forward<Each>(arguments)...);
  }

  /// Returns the identity, for reductions.
  const SectionId& id() const { return id_; }
  /// Returns the number of members.
  std::size_t size() const { return members_.size(); }

 private:
  friend class Collection<T>;

  Section(Collection<T>& collection, std::vector<std::uint64_t> positions)
      : collection_(&collection), members_(std::move(positions)) {
    id_ = section_id(collection.number(), members_);
  }

  Collection<T>* collection_;
  std::vector<std::uint64_t> members_;  // numbers of their positions, sorted
  SectionId id_;
};

}  // namespace plimsoll::objects

namespace plimsoll::PLIMSOLL_ABI {
using objects::Section;
}  // namespace plimsoll
