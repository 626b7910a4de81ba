#include "report/page/object_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace plimsoll::PLIMSOLL_ABI::report {

namespace {

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

}  // namespace

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

}  // namespace plimsoll::report
