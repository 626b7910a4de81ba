#include "runtime/output/object_history.hpp"

#include <algorithm>

#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

PastLoad load_of_task(const lbdata::PhaseRecord& record, std::uint32_t task) {
  const lbdata::Tasks& tasks = record.tasks;
  PastLoad load{.phase = record.id, .time_s = tasks.time_s[task], .subphases_s = {}};
  for (std::uint32_t row = tasks.subphase_begin(task); row < tasks.subphase_end[task]; ++row) {
    const auto subphase = static_cast<std::size_t>(tasks.subphase_id[row]);
    if (load.subphases_s.size() <= subphase) load.subphases_s.resize(subphase + 1);
    load.subphases_s[subphase] += tasks.subphase_time_s[row];
  }
  return load;
}

void add_to(PastLoad& sum, const PastLoad& load) {
  sum.phase = load.phase;
  sum.time_s += load.time_s;
  sum.subphases_s.resize(std::max(sum.subphases_s.size(), load.subphases_s.size()));
  for (std::size_t k = 0; k < load.subphases_s.size(); ++k) sum.subphases_s[k] += load.subphases_s[k];
}

}  // namespace

std::uint32_t ObjectHistory::find_task(const lbdata::PhaseRecord& record, std::uint64_t number) {
  const auto number_of = [&](std::uint32_t task) { return this->number(record.tasks.entity[task]); };
  const auto hash_of = [&](std::uint32_t task) { return support::mix_bits(number_of(task)); };
  support::PositionHash& measured = by_phase_[record.id].measured;
  for (auto task = static_cast<std::uint32_t>(measured.size()); task < record.tasks.size(); ++task)
    measured.insert(hash_of(task), task, hash_of);
  return measured.find(support::mix_bits(number),
                       [&](std::uint32_t task) { return number_of(task) == number; });
}

std::vector<PastLoad> ObjectHistory::loads(lbdata::EntityIndex object) {
  std::vector<PastLoad> loads;
  for (const lbdata::PhaseRecord& record : phases_) {
    if (const std::uint32_t task = find_task(record, number(object)); task != support::PositionHash::none) {
      loads.push_back(load_of_task(record, task));
      continue;
    }
    const auto& added = by_phase_[record.id].added;
    if (const auto found = added.find(number(object)); found != added.end())
      loads.push_back(found->second.load);
  }
  return loads;
}

void ObjectHistory::add(lbdata::EntityIndex object, const PastLoad& load) {
  const auto record = std::ranges::find(phases_, load.phase, &lbdata::PhaseRecord::id);
  if (record == phases_.end() || find_task(*record, number(object)) != support::PositionHash::none) return;
  AddedLoad& sum = by_phase_[load.phase].added[number(object)];
  sum.entity = object;
  add_to(sum.load, load);
}

void ObjectHistory::forget(lbdata::EntityIndex object) {
  for (auto& [id, phase] : by_phase_) phase.added.erase(number(object));
}

lbdata::PhaseRecord ObjectHistory::added(std::int64_t phase) const {
  lbdata::PhaseRecord record;
  record.id = phase;
  const auto found = by_phase_.find(phase);
  if (found == by_phase_.end()) return record;
  lbdata::Tasks& tasks = record.tasks;
  for (const auto& [number, added] : found->second.added) {
    tasks.entity.push_back(added.entity);
    tasks.time_s.push_back(added.load.time_s);
    for (const double time_s : added.load.subphases_s) {
      const std::uint32_t begin = tasks.subphase_end.empty() ? 0 : tasks.subphase_end.back();
      tasks.subphase_id.push_back(static_cast<std::int32_t>(tasks.subphase_id.size() - begin));
      tasks.subphase_time_s.push_back(time_s);
    }
    tasks.subphase_end.push_back(static_cast<std::uint32_t>(tasks.subphase_id.size()));
  }
  return record;
}

void ObjectHistory::trim() {
  const auto first = phases_.empty() ? by_phase_.end() : by_phase_.lower_bound(phases_.front().id);
  by_phase_.erase(by_phase_.begin(), first);
}

void ObjectHistory::mark(std::vector<bool>& used) const {
  for (const auto& [id, phase] : by_phase_)
    for (const auto& [number, added] : phase.added) used[added.entity] = true;
}

void ObjectHistory::renumber(std::span<const lbdata::EntityIndex> new_index) {
  for (auto& [id, phase] : by_phase_)
    for (auto& [number, added] : phase.added) added.entity = new_index[added.entity];
}

}  // namespace plimsoll::runtime
