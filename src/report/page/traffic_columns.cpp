#include "report/page/traffic_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace plimsoll::PLIMSOLL_ABI::report {

namespace {

/// Adds up the traffic of equal pairs and categories, and sorts the pairs.
void merge_pairs(std::vector<PairTraffic>& pairs) {
  const auto key = [](const PairTraffic& pair) { return std::tuple(pair.from, pair.to, pair.category); };
  std::ranges::stable_sort(pairs, {}, key);
  std::size_t merged = 0;
  for (const PairTraffic& pair : pairs) {
    if (merged > 0 && key(pairs[merged - 1]) == key(pair)) {
      pairs[merged - 1].bytes += pair.bytes;
      pairs[merged - 1].messages += pair.messages;
    } else {
      pairs[merged++] = pair;
    }
  }
  pairs.resize(merged);
}

/// Keeps the `count` pairs with most bytes, most bytes first.
void keep_heaviest(std::vector<PairTraffic>& pairs, std::size_t count) {
  std::ranges::stable_sort(pairs, std::ranges::greater{}, &PairTraffic::bytes);
  if (pairs.size() > count) pairs.resize(count);
}

template <class Value>
void write_column(support::JsonWriter& json, const char* name, const std::vector<PairTraffic>& pairs,
                  Value PairTraffic::*value) {
  json.key(name).begin_array();
  for (const PairTraffic& pair : pairs) json.value(pair.*value);
  json.end_array();
}

void write_columns(support::JsonWriter& json, const std::vector<PairTraffic>& pairs) {
  write_column(json, "from", pairs, &PairTraffic::from);
  write_column(json, "to", pairs, &PairTraffic::to);
  write_column(json, "bytes", pairs, &PairTraffic::bytes);
  write_column(json, "messages", pairs, &PairTraffic::messages);
}

}  // namespace

void TrafficColumns::add(const PhaseData& data, EntityColumns& entities) {
  Phase& phase = phases_.emplace_back();
  phase.position = data.position;
  add_edges(data, entities, phase);
  add_rank_pairs(data, phase);
  add_categories(data);
}

void TrafficColumns::add_edges(const PhaseData& data, EntityColumns& entities, Phase& phase) {
  std::vector<PairTraffic> edges;
  for (const balance::LDCommData& edge : data.phase.stats.comm_data)
    if (edge.sender.is_object() && edge.receiver.is_object())
      edges.push_back({.from = edge.sender.index(),
                       .to = edge.receiver.index(),
                       .bytes = edge.bytes,
                       .messages = edge.messages});
  merge_pairs(edges);
  phase.has_all_edges = edges.size() <= max_edges_per_phase_;
  left_out_edges_ = left_out_edges_ || !phase.has_all_edges;
  keep_heaviest(edges, max_edges_per_phase_);
  for (PairTraffic& edge : edges) {
    edge.from = entities.position(data.entity(edge.from));
    edge.to = entities.position(data.entity(edge.to));
  }
  phase.edges = std::move(edges);
}

void TrafficColumns::add_rank_pairs(const PhaseData& data, Phase& phase) {
  const balance::LDStats& stats = data.phase.stats;
  const auto row_of = [&](balance::CommEnd end) {
    const std::size_t rank =
        end.is_object() ? static_cast<std::size_t>(stats.from_proc[end.index()]) : end.index();
    return static_cast<std::uint32_t>(rows_.of(rank));
  };
  std::vector<PairTraffic> pairs;
  pairs.reserve(stats.comm_data.size());
  for (std::size_t k = 0; k < stats.comm_data.size(); ++k) {
    const balance::LDCommData& edge = stats.comm_data[k];
    pairs.push_back({.from = row_of(edge.sender),
                     .to = row_of(edge.receiver),
                     .bytes = edge.bytes,
                     .messages = edge.messages,
                     .category = stats.comm_categories[k]});
  }
  merge_pairs(pairs);
  total_.insert(total_.end(), pairs.begin(), pairs.end());
  merge_pairs(total_);
  for (PairTraffic& pair : pairs) pair.category = 0;
  merge_pairs(pairs);
  n_pairs_ += pairs.size();
  if (n_pairs_ <= max_pairs_) phase.rank_pairs = std::move(pairs);
}

void TrafficColumns::add_categories(const PhaseData& data) {
  const lbdata::NameTable& names = data.dataset.categories;
  for (std::size_t k = category_names_.size(); k < names.size(); ++k)
    category_names_.push_back(names[static_cast<std::uint8_t>(k)]);
  std::map<std::uint8_t, Category> sums;
  for (const lbdata::RankData& rank : data.dataset.ranks) {
    const auto& edges = rank.resolve(data.phase.phase).record->communications;
    if (!edges) continue;
    for (std::size_t edge = 0; edge < edges->size(); ++edge) {
      Category& sum = sums[edges->category[edge]];
      ++sum.edges;
      sum.bytes += edges->bytes[edge];
      sum.messages += edges->messages[edge];
    }
  }
  for (auto& [category, sum] : sums) {
    sum.position = data.position;
    sum.name = names[category];
    categories_.push_back(std::move(sum));
  }
}

void TrafficColumns::write(support::JsonWriter& json) const {
  json.key("edges").begin_array();
  for (const Phase& phase : phases_) {
    json.begin_object().member("phase", phase.position).member("complete", phase.has_all_edges);
    write_columns(json, phase.edges);
    json.end_object();
  }
  json.end_array().key("traffic").begin_array();
  if (n_pairs_ <= max_pairs_)
    for (const Phase& phase : phases_) {
      json.begin_object().member("phase", phase.position);
      write_columns(json, phase.rank_pairs);
      json.end_object();
    }
  json.end_array().key("total_traffic").begin_object();
  std::vector<PairTraffic> total = total_;
  if (total.size() > max_pairs_) keep_heaviest(total, max_pairs_);
  write_columns(json, total);
  write_column(json, "category", total, &PairTraffic::category);
  json.key("category_names").values(category_names_).end_object().key("categories").begin_array();
  for (const Category& category : categories_)
    json.begin_object()
        .member("phase", category.position)
        .member("category", category.name)
        .member("edges", category.edges)
        .member("bytes", category.bytes)
        .member("messages", category.messages)
        .end_object();
  json.end_array();
}

std::string TrafficColumns::note() const {
  std::string text;
  if (left_out_edges_)
    text = fmt::format("Edges between objects are those with most bytes of each phase, at most {}.",
                       max_edges_per_phase_);
  const auto add = [&](const std::string& sentence) { text += (text.empty() ? "" : " ") + sentence; };
  if (n_pairs_ > max_pairs_) add("Traffic between ranks is the sum of all phases.");
  if (total_.size() > max_pairs_)
    add(fmt::format("It shows the {} pairs of ranks with most bytes.", max_pairs_));
  return text;
}

}  // namespace plimsoll::report
