#include <algorithm>

#include <plimsoll/balance/offline_lb.hpp>
#include <plimsoll/lbdata/reader.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

RecordedPlacement::RecordedPlacement(const lbdata::Dataset& dataset, std::size_t rank) {
  const lbdata::RankData& data = dataset.ranks.at(rank);
  phases_.metadata.phases = data.metadata.phases;
  for (const lbdata::PhaseRecord& phase : data.phases) {
    phases_.phases.emplace_back().id = phase.id;
    std::vector<std::uint64_t>& objects = objects_.emplace_back();
    for (const lbdata::EntityIndex entity : phase.tasks.entity) {
      if (dataset.entities.kind(entity) != lbdata::EntityKind::object || !dataset.entities.migratable(entity))
        continue;
      const std::uint64_t id = dataset.entities.number(entity).bits;
      if (!is_offline_lb_placeholder(id)) objects.push_back(id);
    }
    std::ranges::sort(objects);
    const auto duplicates = std::ranges::unique(objects);
    objects.erase(duplicates.begin(), duplicates.end());
  }
}

RecordedPlacement RecordedPlacement::read(const std::string& path) {
  return {lbdata::read({{.rank = 0, .path = path}}).dataset, 0};
}

bool RecordedPlacement::needs_lb(std::int64_t phase) const {
  const std::optional<std::size_t> next = index_of(phase + 1);
  if (!next) return false;
  const auto later = std::ranges::upper_bound(phases_.phases, phase, {}, &lbdata::PhaseRecord::id);
  if (later == phases_.phases.begin()) return true;  // no earlier phase is known
  const auto last = static_cast<std::size_t>(later - phases_.phases.begin()) - 1;
  return last != *next && objects_[last] != objects_[*next];
}

std::span<const std::uint64_t> RecordedPlacement::objects(std::int64_t phase) const {
  const std::optional<std::size_t> index = index_of(phase);
  return index ? std::span<const std::uint64_t>(objects_[*index]) : std::span<const std::uint64_t>();
}

std::optional<std::size_t> RecordedPlacement::index_of(std::int64_t phase) const {
  const lbdata::PhaseRecord* record = phases_.resolve(phase).record;
  if (record == nullptr) return std::nullopt;
  return static_cast<std::size_t>(record - phases_.phases.data());
}

}  // namespace plimsoll::balance
