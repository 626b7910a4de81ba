#pragma once

#include <cstdint>

#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>

#include "runtime/recording/recording.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Finds the entities for the ends of messages. Also updates the entities of objects and edges when the
/// entity table is compacted.
class EntityResolver {
 public:
  EntityResolver(Recording& recording, NodeLBData& data) : recording_(recording), data_(data) {}

  /// Resolves the new edges of the phase, or all edges if objects were added or removed. Returns whether it
  /// resolved any.
  bool resolve_edges();
  /// Removes unused entities from `data` if they are the majority.
  void forget_unused();

 private:
  lbdata::EntityIndex entity_of(Endpoint end);
  bool is_here(Endpoint end) const;

  Recording& recording_;
  NodeLBData& data_;
  std::uint64_t resolved_version_ = 0;  // version of the objects at the last resolution
};

}  // namespace plimsoll::runtime
