#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// The objects on each rank, in any order, while objects migrate.
class ObjectsByRank {
 public:
  ObjectsByRank(std::size_t n_ranks, std::size_t n_objects) : objects_(n_ranks), position_(n_objects) {}

  std::size_t n_ranks() const { return objects_.size(); }
  const std::vector<std::uint32_t>& on(std::size_t rank) const { return objects_[rank]; }

  /// Adds an object that is not on any rank.
  void add(std::uint32_t object, std::size_t rank) {
    position_[object] = static_cast<std::uint32_t>(objects_[rank].size());
    objects_[rank].push_back(object);
  }
  /// Migrates an object in O(1): the last object of the rank takes its place.
  void move(std::uint32_t object, std::size_t from, std::size_t to) {
    std::vector<std::uint32_t>& left = objects_[from];
    left[position_[object]] = left.back();
    position_[left.back()] = position_[object];
    left.pop_back();
    add(object, to);
  }

 private:
  std::vector<std::vector<std::uint32_t>> objects_;
  std::vector<std::uint32_t> position_;  ///< position of each object among the objects of its rank
};

}  // namespace plimsoll::balance
