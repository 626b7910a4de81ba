#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/support/json_writer.hpp>

namespace plimsoll::PLIMSOLL_ABI::report {

/// Objects that a page mentions: its member `entities`.
class EntityColumns {
 public:
  explicit EntityColumns(const lbdata::EntityTable& entities)
      : entities_(entities), positions_(entities.size(), unknown) {}

  /// Returns the position of an object in the columns, and adds it if it is new.
  std::uint32_t position(lbdata::EntityIndex entity) {
    std::uint32_t& position = positions_[entity];
    if (position == unknown) {
      position = static_cast<std::uint32_t>(mentioned_.size());
      mentioned_.push_back(entity);
    }
    return position;
  }
  void write(support::JsonWriter& json) const;

 private:
  static constexpr std::uint32_t unknown = std::numeric_limits<std::uint32_t>::max();

  const lbdata::EntityTable& entities_;
  std::vector<std::uint32_t> positions_;  ///< by entity
  std::vector<lbdata::EntityIndex> mentioned_;
};

}  // namespace plimsoll::report
