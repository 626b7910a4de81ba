#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

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

}  // namespace

std::vector<std::optional<double>>& RankQuantities::values(const std::string& key, const char* label,
                                                           const char* unit, std::size_t position) {
  auto found = quantities_.find(key);
  if (found == quantities_.end()) {
    keys_.push_back(key);
    Quantity quantity{.label = label, .unit = unit, .rows_of_phase = {}};
    quantity.rows_of_phase.assign(n_phases_, std::vector<std::optional<double>>(rows_.count()));
    found = quantities_.emplace(key, std::move(quantity)).first;
  }
  return found->second.rows_of_phase[position];
}

void RankQuantities::put(std::vector<std::optional<double>>& rows, std::size_t rank, double value) const {
  std::optional<double>& row = rows[rows_.of(rank)];
  row = row ? std::max(*row, value) : value;
}

void RankQuantities::add(const PhaseData& data) {
  for (const KnownQuantity& known : known_quantities) {
    auto& rows = values(known.key, known.label, known.unit, data.position);
    for (std::size_t rank = 0; rank < rows_.n_ranks(); ++rank) put(rows, rank, known.value(data.ranks[rank]));
  }
  if (std::ranges::any_of(data.ranks, [](const auto& rank) { return rank.memory_bytes.has_value(); })) {
    auto& rows = values("memory_bytes", "Memory", "bytes", data.position);
    for (std::size_t rank = 0; rank < rows_.n_ranks(); ++rank)
      if (data.ranks[rank].memory_bytes) put(rows, rank, *data.ranks[rank].memory_bytes);
  }
  add_user_numbers(data);
}

void RankQuantities::add_user_numbers(const PhaseData& data) {
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

void RankQuantities::write(support::JsonWriter& json) const {
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

std::string RankQuantities::note() const {
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

void MigrationCounts::add(const PhaseData& data) {
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

namespace {

std::map<std::int32_t, double> loads_of_rank(const lbdata::Tasks& tasks) {
  std::map<std::int32_t, double> loads_s;
  for (std::size_t k = 0; k < tasks.subphase_id.size(); ++k)
    loads_s[tasks.subphase_id[k]] += tasks.subphase_time_s[k];
  return loads_s;
}

}  // namespace

void SubphaseLoads::add(const PhaseData& data) {
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

void SubphaseLoads::write(support::JsonWriter& json) const {
  json.key("subphases").begin_array();
  for (const Phase& phase : phases_) {
    json.begin_object().member("phase", phase.position).key("ids").values(phase.ids);
    json.key("loads_s").begin_array();
    for (const std::vector<double>& loads_s : phase.loads_s) json.values(loads_s);
    json.end_array().end_object();
  }
  json.end_array();
}

std::string SubphaseLoads::note() const {
  return left_out_ ? "Subphases of some phases are omitted." : "";
}

}  // namespace plimsoll::report
