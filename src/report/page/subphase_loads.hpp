#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <plimsoll/report/data_set_section.hpp>
#include <plimsoll/support/json_writer.hpp>

#include "report/page/phase_data.hpp"

namespace plimsoll::inline v0_1::report {

/// Load of each rank in each subphase: the member `subphases` of a page. Phases with one subphase or none are
/// left out.
class SubphaseLoads {
 public:
  explicit SubphaseLoads(const PageLimits& limits) : max_cells_(limits.cells) {}

  void add(const PhaseData& data);
  void write(support::JsonWriter& json) const;
  /// Returns what is not shown; empty if everything is.
  std::string note() const;

 private:
  struct Phase {
    std::size_t position = 0;
    std::vector<std::vector<double>> loads_s;  ///< [subphase][rank]
  };

  std::size_t max_cells_;
  std::size_t n_cells_ = 0;
  bool left_out_ = false;
  std::vector<Phase> phases_;
};

}  // namespace plimsoll::report
