#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/report/html_page.hpp>
#include <plimsoll/support/json_writer.hpp>

#include "report/page/phase_data.hpp"
#include "report/page/rank_rows.hpp"

namespace plimsoll::PLIMSOLL_ABI::report {

/// Quantities of each rank in each phase: `quantities` and `ranks_per_row` of the page.
class RankQuantities {
 public:
  RankQuantities(const RankRows& rows, std::size_t n_phases, const PageLimits& limits)
      : rows_(rows), n_phases_(n_phases), max_user_numbers_(limits.user_numbers) {}

  void add(const PhaseData& data);
  void write(support::JsonWriter& json) const;
  /// Returns what is not shown in full; empty if everything is.
  std::string note() const;

 private:
  struct Quantity {
    std::string label;
    std::string unit;
    std::vector<std::vector<std::optional<double>>> rows_of_phase;
  };

  /// Returns the values of a quantity in this phase, all empty at first.
  std::vector<std::optional<double>>& values(const std::string& key, const char* label, const char* unit,
                                             std::size_t position);
  /// Adds a value of a rank: the row keeps the maximum of its ranks.
  void put(std::vector<std::optional<double>>& rows, std::size_t rank, double value) const;
  void add_user_numbers(const PhaseData& data);

  RankRows rows_;
  std::size_t n_phases_;
  std::size_t max_user_numbers_;
  std::size_t n_user_numbers_ = 0;
  bool left_out_user_numbers_ = false;
  std::vector<std::string> keys_;  ///< in the order of the page
  std::map<std::string, Quantity> quantities_;
};

}  // namespace plimsoll::report
