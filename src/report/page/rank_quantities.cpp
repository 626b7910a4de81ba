#include "report/page/rank_quantities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

}  // namespace plimsoll::report
