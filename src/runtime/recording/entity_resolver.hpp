#pragma once

#include <cstdint>

#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>

#include "runtime/recording/recording.hpp"

namespace plimsoll::runtime {

/// Finds the entities of the LB data that the ends of messages are, and keeps those of objects and edges
/// right when the table of entities is compacted.
class EntityResolver {
 public:
  EntityResolver(Recording& recording, NodeLBData& data) : recording_(recording), data_(data) {}

  /// Resolves the edges of the phase that are new, or all if objects have come or gone.
  void resolve_edges();
  /// Has `data` forget entities that nobody needs any more, if they are the greater part.
  void forget_unused();

 private:
  lbdata::EntityIndex entity_of(Endpoint end);
  bool is_here(Endpoint end) const;

  Recording& recording_;
  NodeLBData& data_;
  std::uint64_t resolved_version_ = 0;  // of the objects
};

}  // namespace plimsoll::runtime
