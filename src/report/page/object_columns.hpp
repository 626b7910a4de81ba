#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <plimsoll/report/html_page.hpp>
#include <plimsoll/support/json_writer.hpp>

#include "report/page/entity_columns.hpp"
#include "report/page/phase_data.hpp"

namespace plimsoll::PLIMSOLL_ABI::report {

/// Objects of each phase with their ranks, loads and user-defined numbers: the member `objects` of a page. If
/// the phases have more tasks than the limit, each rank keeps its heaviest objects.
class ObjectColumns {
 public:
  /// `phases` are those that will be added.
  ObjectColumns(const lbdata::Dataset& dataset, const std::vector<std::int64_t>& phases,
                const PageLimits& limits);

  void add(const PhaseData& data, EntityColumns& entities);
  void write(support::JsonWriter& json) const;
  /// Returns what is not shown in full; empty if everything is.
  std::string note() const;

 private:
  struct Field {
    std::string name;
    std::vector<double> values;  ///< NaN where a task lacks it
  };
  struct Phase {
    std::size_t position = 0;
    bool complete = true;
    std::vector<std::uint32_t> entities;
    std::vector<std::uint32_t> ranks;
    std::vector<double> loads_s;
    std::vector<Field> fields;
  };

  std::size_t max_per_rank_;    ///< objects that each rank keeps in each phase
  std::size_t n_numbers_left_;  ///< user-defined numbers that still fit
  bool left_out_objects_ = false;
  bool left_out_numbers_ = false;
  std::vector<Phase> phases_;
};

}  // namespace plimsoll::report
