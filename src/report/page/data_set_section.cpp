#include <fmt/format.h>

#include <cmath>

#include "report/page/data_set_columns.hpp"

namespace plimsoll::PLIMSOLL_ABI::report {

namespace {

struct KnownQuantity {
  const char* key;
  const char* label;
  const char* unit;
  double (*value)(const balance::RankOverview&);
};

// In the order of `plimsoll info --ranks`, without memory, which may be unknown.
constexpr KnownQuantity known_quantities[] = {
    {"load_s", "Load", "s", [](const auto& rank) { return rank.load_s; }},
    {"objects", "Objects", "", [](const auto& rank) { return static_cast<double>(rank.n_objects); }},
    {"migratable_objects", "Migratable objects", "",
     [](const auto& rank) { return static_cast<double>(rank.n_migratable); }},
    {"sent_bytes", "Bytes sent to other ranks", "bytes", [](const auto& rank) { return rank.sent_bytes; }},
    {"received_bytes", "Bytes received from other ranks", "bytes",
     [](const auto& rank) { return rank.received_bytes; }},
    {"sent_messages", "Messages sent to other ranks", "",
     [](const auto& rank) { return static_cast<double>(rank.sent_messages); }},
    {"received_messages", "Messages received from other ranks", "",
     [](const auto& rank) { return static_cast<double>(rank.received_messages); }},
};

std::map<std::int32_t, double> loads_of_rank(const lbdata::Tasks& tasks) {
  std::map<std::int32_t, double> loads_s;
  for (std::size_t k = 0; k < tasks.subphase_id.size(); ++k)
    loads_s[tasks.subphase_id[k]] += tasks.subphase_time_s[k];
  return loads_s;
}

/// Quantities of each rank in each phase: `quantities` and `ranks_per_row` of the page.
class RankQuantities {
 public:
  RankQuantities(const RankRows& rows, std::size_t n_phases, const PageLimits& limits)
      : rows_(rows), n_phases_(n_phases), max_user_numbers_(limits.user_numbers) {}

  void add(const PhaseData& data) {
    for (const KnownQuantity& known : known_quantities) {
      auto& rows = values(known.key, known.label, known.unit, data.position);
      for (std::size_t rank = 0; rank < rows_.n_ranks(); ++rank)
        put(rows, rank, known.value(data.ranks[rank]));
    }
    if (std::ranges::any_of(data.ranks, [](const auto& rank) { return rank.memory_bytes.has_value(); })) {
      auto& rows = values("memory_bytes", "Memory", "bytes", data.position);
      for (std::size_t rank = 0; rank < rows_.n_ranks(); ++rank)
        if (data.ranks[rank].memory_bytes) put(rows, rank, *data.ranks[rank].memory_bytes);
    }
    add_user_numbers(data);
  }
  void write(support::JsonWriter& json) const {
    json.member("ranks_per_row", rows_.ranks_per_row()).key("quantities").begin_array();
    for (const std::string& key : keys_) {
      const Quantity& quantity = quantities_.at(key);
      json.begin_object()
          .member("key", key)
          .member("label", quantity.label)
          .member("unit", quantity.unit)
          .key("values")
          .begin_array();
      for (const auto& rows : quantity.rows_of_phase) json.values(rows);
      json.end_array().end_object();
    }
    json.end_array();
  }
  /// Returns what is not shown in full; empty if everything is.
  std::string note() const {
    std::string text;
    if (rows_.ranks_per_row() > 1)
      text = fmt::format(
          "Maps show {} consecutive ranks per row: the maximum of loads and other quantities, and the "
          "sum of traffic.",
          rows_.ranks_per_row());
    if (left_out_user_numbers_)
      text += fmt::format("{}Only the first {} user-defined numbers are shown.", text.empty() ? "" : " ",
                          max_user_numbers_);
    return text;
  }

 private:
  struct Quantity {
    std::string label;
    std::string unit;
    std::vector<std::vector<std::optional<double>>> rows_of_phase;
  };

  /// Returns the values of a quantity in this phase, all empty at first.
  std::vector<std::optional<double>>& values(const std::string& key, const char* label, const char* unit,
                                             std::size_t position) {
    auto found = quantities_.find(key);
    if (found == quantities_.end()) {
      keys_.push_back(key);
      Quantity quantity{.label = label, .unit = unit, .rows_of_phase = {}};
      quantity.rows_of_phase.assign(n_phases_, std::vector<std::optional<double>>(rows_.count()));
      found = quantities_.emplace(key, std::move(quantity)).first;
    }
    return found->second.rows_of_phase[position];
  }
  /// Adds a value of a rank: the row keeps the maximum of its ranks.
  void put(std::vector<std::optional<double>>& rows, std::size_t rank, double value) const {
    std::optional<double>& row = rows[rows_.of(rank)];
    row = row ? std::max(*row, value) : value;
  }
  void add_user_numbers(const PhaseData& data) {
    left_out_user_numbers_ = left_out_user_numbers_ || !data.user_numbers.complete;
    for (const UserNumbers& numbers : data.user_numbers.columns) {
      if (!is_summable(numbers.name)) continue;
      const std::string key = "user:" + numbers.name;
      if (!quantities_.contains(key)) {
        if (n_user_numbers_ == max_user_numbers_) {
          left_out_user_numbers_ = true;
          continue;
        }
        ++n_user_numbers_;
      }
      std::vector<std::optional<double>> sums(rows_.n_ranks());
      for (std::size_t object = 0; object < numbers.of_object.size(); ++object) {
        const double value = numbers.of_object[object];
        if (std::isfinite(value)) {
          std::optional<double>& sum = sums[data.phase.locations[object].rank];
          sum = sum.value_or(0) + value;
        }
      }
      const char* const unit = numbers.name.ends_with("_bytes") ? "bytes" : "";
      auto& rows = values(key, numbers.name.c_str(), unit, data.position);
      for (std::size_t rank = 0; rank < rows_.n_ranks(); ++rank)
        if (sums[rank]) put(rows, rank, *sums[rank]);
    }
  }

  RankRows rows_;
  std::size_t n_phases_;
  std::size_t max_user_numbers_;
  std::size_t n_user_numbers_ = 0;
  bool left_out_user_numbers_ = false;
  std::vector<std::string> keys_;  ///< in the order of the page
  std::map<std::string, Quantity> quantities_;
};

/// Number of objects that are on another rank than in the previous phase: the member `migrations` of a page.
class MigrationCounts {
 public:
  void add(const PhaseData& data) {
    const balance::LDStats& stats = data.phase.stats;
    Places places;
    for (std::size_t object = 0; object < stats.obj_data.size(); ++object)
      if (stats.obj_data[object].migratable)
        places.emplace_back(stats.numbers[object], stats.from_proc[object]);
    std::ranges::sort(places);
    if (counts_.empty()) {
      counts_.emplace_back();
    } else {
      std::int64_t n_moved = 0;
      auto before = previous_.begin();
      for (const auto& [number, rank] : places) {
        while (before != previous_.end() && before->first < number) ++before;
        if (before != previous_.end() && before->first == number && before->second != rank) ++n_moved;
      }
      counts_.emplace_back(n_moved);
    }
    previous_ = std::move(places);
  }
  void write(support::JsonWriter& json) const { json.key("migrations").values(counts_); }

 private:
  using Places = std::vector<std::pair<std::uint64_t, std::int32_t>>;

  Places previous_;
  std::vector<std::optional<std::int64_t>> counts_;
};

/// Load of each row of ranks in each subphase: the member `subphases` of a page. Phases with one subphase or
/// none are omitted.
class SubphaseLoads {
 public:
  SubphaseLoads(const RankRows& rows, const PageLimits& limits) : rows_(rows), max_cells_(limits.cells) {}

  void add(const PhaseData& data) {
    std::map<std::int32_t, std::vector<double>> of_subphase;
    for (std::size_t rank = 0; rank < data.ranks.size(); ++rank) {
      for (const auto& [subphase, load_s] : loads_of_rank(data.tasks(rank))) {
        auto found = of_subphase.find(subphase);
        if (found == of_subphase.end()) {
          if (n_cells_ + rows_.count() > max_cells_) {
            left_out_ = true;
            return;
          }
          n_cells_ += rows_.count();
          found = of_subphase.emplace(subphase, std::vector<double>(rows_.count())).first;
        }
        double& row = found->second[rows_.of(rank)];
        row = std::max(row, load_s);
      }
    }
    if (of_subphase.size() < 2) return;
    Phase& phase = phases_.emplace_back();
    phase.position = data.position;
    for (auto& [subphase, loads_s] : of_subphase) {
      phase.ids.push_back(subphase);
      phase.loads_s.push_back(std::move(loads_s));
    }
  }
  void write(support::JsonWriter& json) const {
    json.key("subphases").begin_array();
    for (const Phase& phase : phases_) {
      json.begin_object().member("phase", phase.position).key("ids").values(phase.ids);
      json.key("loads_s").begin_array();
      for (const std::vector<double>& loads_s : phase.loads_s) json.values(loads_s);
      json.end_array().end_object();
    }
    json.end_array();
  }
  /// Returns what is not shown; empty if everything is.
  std::string note() const { return left_out_ ? "Subphases of some phases are omitted." : ""; }

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

std::vector<std::int64_t> phases_of(const balance::DatasetOverview& overview) {
  std::vector<std::int64_t> phases;
  for (const balance::PhaseOverview& phase : overview.phases) phases.push_back(phase.phase);
  return phases;
}

/// Writes the time that even work in each phase would save.
void write_lost(support::JsonWriter& json, const balance::DatasetOverview& overview, std::size_t n_ranks) {
  double lost_s = 0;
  double max_s = 0;
  for (const balance::PhaseOverview& phase : overview.phases) {
    lost_s += phase.lost_time_s();
    max_s += phase.quality.max_time_s;
  }
  constexpr double seconds_per_hour = 3600;
  json.key("lost")
      .begin_object()
      .member("time_s", lost_s)
      .member("core_hours", lost_s * static_cast<double>(n_ranks) / seconds_per_hour)
      .member("share", max_s > 0 ? lost_s / max_s : 0.0)
      .end_object();
}

/// Writes the node of each rank, or null unless all files specify it.
void write_nodes(support::JsonWriter& json, const lbdata::Dataset& dataset) {
  std::vector<std::int64_t> nodes;
  for (const lbdata::RankData& rank : dataset.ranks)
    if (rank.metadata.shared_node) nodes.push_back(rank.metadata.shared_node->id);
  json.key("nodes");
  if (nodes.size() == dataset.ranks.size())
    json.values(nodes);
  else
    json.null();
}

/// Writes what balancing during the run predicted and cost in each phase.
void write_balancing(support::JsonWriter& json, const lbdata::Dataset& dataset,
                     const std::vector<std::int64_t>& phases) {
  json.key("balancing").begin_array();
  for (const balance::BalancedPhase& balanced : balance::balanced_phases(dataset, phases))
    json.begin_object()
        .member("phase", std::ranges::lower_bound(phases, balanced.phase) - phases.begin())
        .member("strategy", balanced.strategy)
        .member("migrations", balanced.n_migrations)
        .member("decision_s", balanced.decision_s)
        .member("migration_s", balanced.migration_s)
        .member("predicted_gain_s", balanced.predicted_gain_s)
        .end_object();
  json.end_array();
}

}  // namespace

void write_data_set(support::JsonWriter& json, const lbdata::Dataset& dataset,
                    const balance::DatasetOverview& overview, const PageLimits& limits,
                    support::Progress& progress) {
  const std::vector<std::int64_t> phases = phases_of(overview);
  const RankRows rows(dataset.ranks.size(), phases.size(), limits.cells);
  RankQuantities quantities(rows, phases.size(), limits);
  MigrationCounts migrations;
  SubphaseLoads subphases(rows, limits);
  EntityColumns entities(dataset.entities);
  ObjectColumns objects(dataset, phases, limits);
  TrafficColumns traffic(rows, phases.size(), limits);
  progress.begin("collecting", phases.size(), "phases");
  for (std::size_t position = 0; position < phases.size(); ++position) {
    PhaseData data{.dataset = dataset,
                   .position = position,
                   .phase = balance::load_phase(dataset, phases[position], {.edge_objects = false}),
                   .ranks = balance::rank_overviews(dataset, phases[position]),
                   .user_numbers = {}};
    data.user_numbers = user_numbers(dataset, data.phase, limits.user_numbers);
    quantities.add(data);
    migrations.add(data);
    subphases.add(data);
    objects.add(data, entities);
    traffic.add(data, entities);
    progress.advance(1);
  }
  progress.end();

  write_lost(json, overview, dataset.ranks.size());
  json.key("findings").values(find_imbalance(dataset, overview)).key("notes").begin_array();
  for (const std::string& note : {quantities.note(), objects.note(), traffic.note(), subphases.note()})
    if (!note.empty()) json.value(note);
  json.end_array();
  write_nodes(json, dataset);
  quantities.write(json);
  migrations.write(json);
  write_balancing(json, dataset, phases);
  subphases.write(json);
  entities.write(json);
  objects.write(json);
  traffic.write(json);
}

}  // namespace plimsoll::report
