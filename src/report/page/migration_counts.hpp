#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <plimsoll/support/json_writer.hpp>

#include "report/page/phase_data.hpp"

namespace plimsoll::PLIMSOLL_ABI::report {

/// Number of objects that are on another rank than in the previous phase: the member `migrations` of a page.
class MigrationCounts {
 public:
  void add(const PhaseData& data);
  void write(support::JsonWriter& json) const { json.key("migrations").values(counts_); }

 private:
  /// Number and rank of each migratable object, sorted.
  using Places = std::vector<std::pair<std::uint64_t, std::int32_t>>;

  Places previous_;
  std::vector<std::optional<std::int64_t>> counts_;
};

}  // namespace plimsoll::report
