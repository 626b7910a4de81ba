#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/balance/overview.hpp>
#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/report/html_page.hpp>
#include <plimsoll/support/json_writer.hpp>
#include <plimsoll/support/version.hpp>

#include "report/user_numbers.hpp"

namespace plimsoll::PLIMSOLL_ABI::report {

/// Data of one phase, from which the columns of a page are filled.
struct PhaseData {
  const lbdata::Dataset& dataset;
  std::size_t position = 0;  ///< position of the phase in the page
  balance::DatasetPhase phase;
  std::vector<balance::RankOverview> ranks;
  UserNumberColumns user_numbers;

  const lbdata::Tasks& tasks(std::size_t rank) const {
    return dataset.ranks[rank].resolve(phase.phase).record->tasks;
  }
  lbdata::EntityIndex entity(std::size_t object) const {
    const auto [rank, task] = phase.locations[object];
    return tasks(rank).entity[task];
  }
};

/// Rows of the maps of a page: one per rank, or one per block of consecutive ranks if ranks times phases
/// would exceed the limit of values.
class RankRows {
 public:
  RankRows(std::size_t n_ranks, std::size_t n_phases, std::size_t max_cells)
      : n_ranks_(n_ranks),
        ranks_per_row_(std::max<std::size_t>(1, (n_ranks * n_phases + max_cells - 1) / max_cells)) {}

  std::size_t n_ranks() const { return n_ranks_; }
  std::size_t ranks_per_row() const { return ranks_per_row_; }
  std::size_t count() const { return (n_ranks_ + ranks_per_row_ - 1) / ranks_per_row_; }
  std::size_t of(std::size_t rank) const { return rank / ranks_per_row_; }

 private:
  std::size_t n_ranks_;
  std::size_t ranks_per_row_;
};

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
