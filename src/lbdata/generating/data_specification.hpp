#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/lbdata/entity.hpp>

#include "lbdata/generating/sampler.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Shared memory block of a specification.
struct SpecifiedBlock {
  std::int64_t number = 0;
  double size_bytes = 0;
  std::optional<std::int64_t> home_rank;
};

/// Task of a specification.
struct SpecifiedTask {
  Sampler time_s;
  std::int64_t collection_id = first_collection_id;
  bool migratable = true;
  std::optional<std::int64_t> home;  ///< default: the rank of the task
  /// Members of `user_defined` as JSON text, in order.
  std::vector<std::pair<std::string, std::string>> user_defined;
  std::optional<std::int64_t> rank;
  std::optional<SpecifiedBlock> block;
};

/// Edge of a specification.
struct SpecifiedEdge {
  std::int64_t from = 0;
  std::int64_t to = 0;
  Sampler bytes;
  std::int64_t messages = 1;
};

/// Content of a specification, whose numbers of tasks and ranks have been checked.
struct DataSpecification {
  std::map<std::int64_t, SpecifiedTask> tasks;
  std::vector<std::vector<std::int64_t>> ranks;  ///< tasks of each rank, in order
  std::vector<SpecifiedEdge> edges;
};

/// Parses a specification. Throws Error like parse_data_specification().
DataSpecification parse_specification(std::string_view text, const std::string& name);

}  // namespace plimsoll::lbdata
