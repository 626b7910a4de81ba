#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <plimsoll/report/html_page.hpp>
#include <plimsoll/support/json_writer.hpp>

#include "report/page/phase_data.hpp"
#include "report/page/rank_rows.hpp"

namespace plimsoll::PLIMSOLL_ABI::report {

/// Load of each row of ranks in each subphase: the member `subphases` of a page. Phases with one subphase or
/// none are omitted.
class SubphaseLoads {
 public:
  SubphaseLoads(const RankRows& rows, const PageLimits& limits) : rows_(rows), max_cells_(limits.cells) {}

  void add(const PhaseData& data);
  void write(support::JsonWriter& json) const;
  /// Returns what is not shown; empty if everything is.
  std::string note() const;

 private:
  struct Phase {
    std::size_t position = 0;
    std::vector<std::int32_t> ids;
    std::vector<std::vector<double>> loads_s;  ///< [subphase][row], maximum of the ranks in the row
  };

  RankRows rows_;
  std::size_t max_cells_;
  std::size_t n_cells_ = 0;
  bool left_out_ = false;
  std::vector<Phase> phases_;
};

}  // namespace plimsoll::report
