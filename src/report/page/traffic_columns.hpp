#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <plimsoll/report/html_page.hpp>
#include <plimsoll/support/json_writer.hpp>

#include "report/page/entity_columns.hpp"
#include "report/page/phase_data.hpp"
#include "report/page/rank_rows.hpp"

namespace plimsoll::PLIMSOLL_ABI::report {

/// Bytes and messages between two ends: rows of ranks or objects.
struct PairTraffic {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  double bytes = 0;
  std::int64_t messages = 0;
  std::uint8_t category = 0;  ///< index into Dataset::categories; 0 for sums over all categories
};

/// Traffic of each phase: the members `edges` (between objects), `traffic` (between rows of ranks in each
/// phase), `total_traffic` (between rows of ranks, by category, in all phases) and `categories` of a page.
class TrafficColumns {
 public:
  TrafficColumns(const RankRows& rows, std::size_t n_phases, const PageLimits& limits)
      : rows_(rows),
        max_edges_per_phase_(n_phases == 0 ? 0 : limits.edges / n_phases),
        max_pairs_(limits.rank_pairs) {}

  void add(const PhaseData& data, EntityColumns& entities);
  void write(support::JsonWriter& json) const;
  /// Returns what is not shown in full; empty if everything is.
  std::string note() const;

 private:
  struct Phase {
    std::size_t position = 0;
    std::vector<PairTraffic> edges;
    bool has_all_edges = true;
    std::vector<PairTraffic> rank_pairs;
  };
  struct Category {
    std::size_t position = 0;
    std::string name;
    std::uint64_t edges = 0;
    double bytes = 0;
    std::int64_t messages = 0;
  };

  void add_edges(const PhaseData& data, EntityColumns& entities, Phase& phase);
  void add_rank_pairs(const PhaseData& data, Phase& phase);
  void add_categories(const PhaseData& data);

  RankRows rows_;
  std::size_t max_edges_per_phase_;
  std::size_t max_pairs_;
  std::size_t n_pairs_ = 0;  ///< of all phases
  bool left_out_edges_ = false;
  std::vector<Phase> phases_;
  std::vector<PairTraffic> total_;  ///< by category
  std::vector<std::string> category_names_;
  std::vector<Category> categories_;
};

}  // namespace plimsoll::report
