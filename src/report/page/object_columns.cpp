#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <tuple>

#include <plimsoll/lbdata/entity_table.hpp>

#include "report/page/data_set_columns.hpp"

namespace plimsoll::PLIMSOLL_ABI::report {

namespace {

/// Writes an integer that JavaScript reads exactly: as a text if it has more than 53 bits.
void write_exact(support::JsonWriter& json, lbdata::WideInteger number) {
  constexpr std::int64_t max_exact = std::int64_t{1} << 53;
  const auto value = static_cast<std::int64_t>(number.bits);
  const bool fits_signed = number.negative == (value < 0);
  if (fits_signed && value <= max_exact && value >= -max_exact)
    json.value(value);
  else
    json.value(to_string(number));
}

/// Returns how many objects each rank may keep in each phase, so that all together are within the limit.
std::size_t objects_per_rank(const lbdata::Dataset& dataset, const std::vector<std::int64_t>& phases,
                             std::size_t limit) {
  std::vector<std::size_t> counts;
  for (const std::int64_t phase : phases)
    for (const lbdata::RankData& rank : dataset.ranks)
      counts.push_back(rank.resolve(phase).record->tasks.size());
  const auto kept = [&](std::size_t most) {
    return std::accumulate(counts.begin(), counts.end(), std::size_t{0},
                           [&](std::size_t sum, std::size_t n) { return sum + std::min(n, most); });
  };
  std::size_t low = 0;
  std::size_t high = counts.empty() ? 0 : std::ranges::max(counts);
  while (low < high) {
    const std::size_t middle = high - (high - low) / 2;
    if (kept(middle) <= limit)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/// Returns the objects [begin, end) that a rank keeps, in the order of the file.
std::vector<std::size_t> heaviest(const balance::LDStats& stats, std::size_t begin, std::size_t end,
                                  std::size_t count) {
  std::vector<std::size_t> objects(end - begin);
  std::iota(objects.begin(), objects.end(), begin);
  if (objects.size() <= count) return objects;
  std::ranges::nth_element(objects, objects.begin() + static_cast<std::ptrdiff_t>(count), {},
                           [&](std::size_t object) {
                             return std::pair(-static_cast<double>(stats.obj_data[object].walltime), object);
                           });
  objects.resize(count);
  std::ranges::sort(objects);
  return objects;
}

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

void write_column(support::JsonWriter& json, const char* name, const std::vector<PairTraffic>& pairs,
                  const auto& value) {
  json.key(name).begin_array();
  for (const PairTraffic& pair : pairs) json.value(std::invoke(value, pair));
  json.end_array();
}

void write_columns(support::JsonWriter& json, const std::vector<PairTraffic>& pairs) {
  write_column(json, "from", pairs, &PairTraffic::from);
  write_column(json, "to", pairs, &PairTraffic::to);
  write_column(json, "bytes", pairs, &PairTraffic::bytes);
  write_column(json, "messages", pairs, &PairTraffic::messages);
}

}  // namespace

void EntityColumns::write(support::JsonWriter& json) const {
  const auto column = [&](const char* name, const auto& write_cell) {
    json.key(name).begin_array();
    for (const lbdata::EntityIndex entity : mentioned_) write_cell(entity, entities_.family(entity));
    json.end_array();
  };
  using lbdata::EntityFamily;
  using lbdata::EntityIndex;
  json.key("entities").begin_object();
  column("number",
         [&](EntityIndex entity, const EntityFamily&) { write_exact(json, entities_.number(entity)); });
  column("collection", [&](EntityIndex, const EntityFamily& family) {
    if (family.has_collection_id)
      write_exact(json, family.collection_id);
    else
      json.null();
  });
  column("home", [&](EntityIndex entity, const EntityFamily& family) {
    json.value(family.has_home ? entities_.home(entity) : -1);
  });
  column("migratable", [&](EntityIndex, const EntityFamily& family) {
    json.value(family.has_migratable && family.migratable ? 1 : 0);
  });
  column("index",
         [&](EntityIndex entity, const EntityFamily&) { json.value(name_of(entities_, entity).index); });
  json.end_object();
}

ObjectColumns::ObjectColumns(const lbdata::Dataset& dataset, const std::vector<std::int64_t>& phases,
                             const PageLimits& limits)
    : max_per_rank_(objects_per_rank(dataset, phases, limits.tasks)), n_numbers_left_(limits.tasks) {}

void ObjectColumns::add(const PhaseData& data, EntityColumns& entities) {
  const balance::LDStats& stats = data.phase.stats;
  Phase phase{.position = data.position};
  std::vector<std::size_t> kept;
  for (std::size_t begin = 0; begin < stats.from_proc.size();) {
    std::size_t end = begin;
    while (end < stats.from_proc.size() && stats.from_proc[end] == stats.from_proc[begin]) ++end;
    const std::vector<std::size_t> of_rank = heaviest(stats, begin, end, max_per_rank_);
    kept.insert(kept.end(), of_rank.begin(), of_rank.end());
    begin = end;
  }
  phase.complete = kept.size() == stats.from_proc.size();
  left_out_objects_ = left_out_objects_ || !phase.complete;
  for (const std::size_t object : kept) {
    phase.entities.push_back(entities.position(data.entity(object)));
    phase.ranks.push_back(static_cast<std::uint32_t>(stats.from_proc[object]));
    phase.loads_s.push_back(static_cast<double>(stats.obj_data[object].walltime));
  }
  for (const UserNumbers& numbers : data.user_numbers.columns) {
    if (kept.size() > n_numbers_left_) {
      left_out_numbers_ = true;
      break;
    }
    n_numbers_left_ -= kept.size();
    Field field{.name = numbers.name, .values = {}};
    for (const std::size_t object : kept) field.values.push_back(numbers.of_object[object]);
    phase.fields.push_back(std::move(field));
  }
  phases_.push_back(std::move(phase));
}

void ObjectColumns::write(support::JsonWriter& json) const {
  const auto write_values = [&](const std::vector<double>& values, const auto& text_of) {
    json.begin_array();
    for (const double value : values) json.raw(std::isfinite(value) ? text_of(value) : "null");
    json.end_array();
  };
  const auto exact = [](double value) { return fmt::format("{}", value); };
  const auto rounded = [](double value) { return fmt::format("{:.6g}", value); };
  json.key("objects").begin_array();
  for (const Phase& phase : phases_) {
    json.begin_object().member("phase", phase.position).member("complete", phase.complete);
    json.key("entity").values(phase.entities).key("rank").values(phase.ranks).key("load_s");
    write_values(phase.loads_s, rounded);
    json.key("fields").begin_object();
    for (const Field& field : phase.fields) {
      json.key(field.name);
      write_values(field.values, exact);
    }
    json.end_object().end_object();
  }
  json.end_array();
}

std::string ObjectColumns::note() const {
  std::string text;
  if (left_out_objects_)
    text = max_per_rank_ == 0
               ? "Objects are not listed, because the data set has too many ranks and phases."
               : fmt::format("Objects are the heaviest of each rank and phase, at most {}.", max_per_rank_);
  if (left_out_numbers_)
    text += fmt::format("{}Only some user-defined numbers of objects are shown.", text.empty() ? "" : " ");
  return text;
}

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
