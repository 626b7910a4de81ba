#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

bool PhaseNumbers::contains(std::int64_t phase) const {
  return std::ranges::binary_search(list, phase) ||
         std::ranges::any_of(range, [&](const std::vector<std::int64_t>& ends) {
           return ends.size() == 2 && ends[0] <= phase && phase <= ends[1];
         });
}

std::vector<PhaseRange> PhaseNumbers::ranges() const {
  std::vector<PhaseRange> all;
  for (const std::int64_t phase : list) all.push_back({phase, phase});
  for (const std::vector<std::int64_t>& ends : range)
    if (ends.size() == 2 && ends[0] <= ends[1]) all.push_back({ends[0], ends[1]});
  return joined(std::move(all));
}

void PhaseNumbers::append(std::int64_t phase) {
  PLIMSOLL_EXPECT(list.empty() || list.back() < phase);
  PLIMSOLL_EXPECT(range.empty() || range.back().size() != 2 || range.back()[1] < phase);
  if (!range.empty() && range.back().size() == 2 && range.back()[1] == phase - 1) {
    range.back()[1] = phase;
  } else if (!list.empty() && list.back() == phase - 1) {
    list.pop_back();
    range.push_back({phase - 1, phase});
  } else {
    list.push_back(phase);
  }
}

void PhaseNumbers::remove(std::int64_t phase) {
  std::erase(list, phase);
  std::vector<std::vector<std::int64_t>> ranges;
  for (const std::vector<std::int64_t>& part : range) {
    if (part.size() != 2 || phase < part[0] || phase > part[1]) {
      ranges.push_back(part);
      continue;
    }
    if (part[0] < phase) ranges.push_back({part[0], phase - 1});
    if (phase < part[1]) ranges.push_back({phase + 1, part[1]});
  }
  range = std::move(ranges);
}

std::optional<std::int64_t> PhaseNumbers::next_after(std::int64_t phase) const {
  for (const PhaseRange& part : ranges())
    if (part.last > phase) return std::max(part.first, phase + 1);
  return std::nullopt;
}

const PhaseRecord* RankData::find(std::int64_t phase) const {
  const auto found = std::ranges::lower_bound(phases, phase, {}, &PhaseRecord::id);
  return found == phases.end() || found->id != phase ? nullptr : &*found;
}

PhaseRecord* RankData::find(std::int64_t phase) {
  return const_cast<PhaseRecord*>(std::as_const(*this).find(phase));
}

ResolvedPhase RankData::resolve(std::int64_t phase) const {
  const auto after = std::ranges::lower_bound(phases, phase, {}, &PhaseRecord::id);
  if (after != phases.end() && after->id == phase) return {PhaseState::recorded, &*after};
  if (!metadata.phases) return {};
  if (metadata.phases->skipped.contains(phase)) return {PhaseState::skipped, nullptr};
  if (!metadata.phases->identical_to_previous.contains(phase)) return {};
  if (after == phases.begin()) return {PhaseState::absent, nullptr};
  return {PhaseState::identical, &*std::prev(after)};
}

std::uint8_t NameTable::intern(std::string_view name) {
  const auto found = std::ranges::find(names_, name);
  if (found != names_.end()) return static_cast<std::uint8_t>(found - names_.begin());
  if (names_.size() >= 256) {
    throw support::bad_input("more than 256 different resources or communication types", {},
                             "check the members 'resource' of tasks and 'type' of communications");
  }
  names_.emplace_back(name);
  return static_cast<std::uint8_t>(names_.size() - 1);
}

NameTable Dataset::known_categories() {
  std::vector<std::string> names;
  names.reserve(all_comm_categories.size());
  for (const CommCategory category : all_comm_categories) names.emplace_back(to_string(category));
  return NameTable(std::move(names));
}

std::vector<std::int64_t> Dataset::phase_ids() const {
  std::vector<PhaseRange> spans;
  for (const RankData& rank : ranks) {
    for (const PhaseRecord& phase : rank.phases) spans.push_back({phase.id, phase.id});
    if (!rank.metadata.phases) continue;
    std::ranges::copy(rank.metadata.phases->skipped.ranges(), std::back_inserter(spans));
    std::ranges::copy(rank.metadata.phases->identical_to_previous.ranges(), std::back_inserter(spans));
  }
  std::vector<std::int64_t> ids;
  for (const auto& [first, last] : joined(std::move(spans))) {
    // Count the remaining phases, because the last phase may be the maximum integer.
    std::int64_t phase = first;
    if (static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(phase) >= max_phases - ids.size())
      throw support::bad_input("the files together list more than a million phases", {},
                               "check the ranges of metadata.phases");
    for (ids.push_back(phase); phase < last;) ids.push_back(++phase);
  }
  return ids;
}

namespace {

/// Compares two data sets whose entities have been numbered in one table.
class Comparison {
 public:
  Comparison(const Dataset& left, const Dataset& right) : left_(left), right_(right) {
    EntityTable both = left.entities;
    right_entity_ = both.merge(right.entities);
  }

  bool equal(const RankData& left, const RankData& right) const {
    return left.metadata == right.metadata &&
           std::ranges::equal(left.phases, right.phases, [this](const PhaseRecord& a, const PhaseRecord& b) {
             return equal(a, b) && equal(a.lb_iterations, b.lb_iterations);
           });
  }

 private:
  bool equal(const WorkRecord& left, const WorkRecord& right) const {
    return left.id == right.id && left.user_defined == right.user_defined && equal(left.tasks, right.tasks) &&
           left.communications.has_value() == right.communications.has_value() &&
           (!left.communications || equal(*left.communications, *right.communications));
  }

  using Iterations = std::optional<std::vector<WorkRecord>>;
  bool equal(const Iterations& left, const Iterations& right) const {
    if (!left || !right) return !left && !right;
    return std::ranges::equal(*left, *right,
                              [this](const WorkRecord& a, const WorkRecord& b) { return equal(a, b); });
  }

  bool equal(const Tasks& left, const Tasks& right) const {
    return equal_entities(left.entity, right.entity) && equal_bits(left.time_s, right.time_s) &&
           left.node == right.node &&
           equal_names(left.resource, left_.resources, right.resource, right_.resources) &&
           left.subphase_end == right.subphase_end && left.subphase_id == right.subphase_id &&
           equal_bits(left.subphase_time_s, right.subphase_time_s) &&
           left.empty_subphases == right.empty_subphases && left.user_defined == right.user_defined &&
           left.attributes == right.attributes;
  }

  bool equal(const Communications& left, const Communications& right) const {
    return equal_entities(left.from, right.from) && equal_entities(left.to, right.to) &&
           equal_bits(left.bytes, right.bytes) && left.messages == right.messages &&
           equal_names(left.category, left_.categories, right.category, right_.categories);
  }

  bool equal_entities(const std::vector<EntityIndex>& left, const std::vector<EntityIndex>& right) const {
    return std::ranges::equal(left, right,
                              [this](EntityIndex a, EntityIndex b) { return a == right_entity_[b]; });
  }

  static bool equal_bits(const std::vector<double>& left, const std::vector<double>& right) {
    return left.size() == right.size() &&
           (left.empty() || std::memcmp(left.data(), right.data(), left.size() * sizeof(double)) == 0);
  }

  static bool equal_names(const std::vector<std::uint8_t>& left, const NameTable& left_names,
                          const std::vector<std::uint8_t>& right, const NameTable& right_names) {
    return std::ranges::equal(
        left, right, [&](std::uint8_t a, std::uint8_t b) { return left_names[a] == right_names[b]; });
  }

  const Dataset& left_;
  const Dataset& right_;
  std::vector<EntityIndex> right_entity_;  // index of each entity of `right` in the common table
};

/// Ranges that are visited in ascending order.
class RangeCursor {
 public:
  RangeCursor() = default;
  explicit RangeCursor(const PhaseNumbers& numbers) : ranges_(numbers.ranges()) {}

  const std::vector<PhaseRange>& ranges() const { return ranges_; }
  bool contains(std::int64_t phase) {
    while (next_ < ranges_.size() && ranges_[next_].last < phase) ++next_;
    return next_ < ranges_.size() && ranges_[next_].first <= phase;
  }

 private:
  std::vector<PhaseRange> ranges_;
  std::size_t next_ = 0;
};

/// The phases of a rank, visited in ascending order. Gives the same records as RankData::resolve(), without a
/// search per phase.
class RankCursor {
 public:
  explicit RankCursor(const RankPhases& rank) : recorded_(rank.recorded) {
    if (rank.listed == nullptr) return;
    skipped_ = RangeCursor(rank.listed->skipped);
    identical_ = RangeCursor(rank.listed->identical_to_previous);
  }

  std::vector<std::int64_t> changes() const {
    std::vector<std::int64_t> phases;
    const auto add = [&](std::int64_t first, std::int64_t last) {
      phases.push_back(first);
      if (last != PhaseRange::no_end) phases.push_back(last + 1);
    };
    for (const std::int64_t phase : recorded_) add(phase, phase);
    for (const RangeCursor* numbers : {&skipped_, &identical_})
      for (const auto& [first, last] : numbers->ranges()) add(first, last);
    std::ranges::sort(phases);
    phases.erase(std::unique(phases.begin(), phases.end()), phases.end());
    return phases;
  }

  bool has_data(std::int64_t phase) {
    while (next_ < recorded_.size() && recorded_[next_] < phase) ++next_;
    if (next_ < recorded_.size() && recorded_[next_] == phase) return true;
    return !skipped_.contains(phase) && identical_.contains(phase) && next_ > 0;
  }

 private:
  std::span<const std::int64_t> recorded_;
  std::size_t next_ = 0;
  RangeCursor skipped_;
  RangeCursor identical_;
};

std::vector<std::int64_t> changes_of(const std::vector<RankCursor>& ranks) {
  std::vector<std::int64_t> all;
  for (const RankCursor& rank : ranks) {
    const std::vector<std::int64_t> changes = rank.changes();
    if (changes == all) continue;
    std::vector<std::int64_t> both;
    std::ranges::set_union(all, changes, std::back_inserter(both));
    all = std::move(both);
  }
  return all;
}

void append(std::vector<std::int64_t>& phases, const PhaseRange& span) {
  for (std::int64_t phase = span.first;; ++phase) {
    phases.push_back(phase);
    if (phase == span.last) return;
  }
}

}  // namespace

bool operator==(const Dataset& left, const Dataset& right) {
  const Comparison comparison(left, right);
  return std::ranges::equal(left.ranks, right.ranks,
                            [&](const RankData& a, const RankData& b) { return comparison.equal(a, b); });
}

PhaseCoverage phase_coverage(const Dataset& dataset) {
  std::vector<RankPhases> ranks;
  for (const RankData& rank : dataset.ranks) {
    const auto& listed = rank.metadata.phases;
    RankPhases& phases =
        ranks.emplace_back(RankPhases{.recorded = {}, .listed = listed ? &*listed : nullptr});
    std::ranges::transform(rank.phases, std::back_inserter(phases.recorded), &PhaseRecord::id);
  }
  return phase_coverage(ranks);
}

PhaseCoverage phase_coverage(std::span<const RankPhases> files) {
  std::vector<RankCursor> ranks(files.begin(), files.end());
  const std::vector<std::int64_t> changes = changes_of(ranks);
  PhaseCoverage coverage;
  for (std::size_t k = 0; k < changes.size(); ++k) {
    const PhaseRange span = {changes[k], k + 1 < changes.size() ? changes[k + 1] - 1 : PhaseRange::no_end};
    const auto with_data = static_cast<std::size_t>(
        std::ranges::count_if(ranks, [&](RankCursor& rank) { return rank.has_data(span.first); }));
    if (with_data == 0) continue;
    const auto more = static_cast<std::uint64_t>(span.last) - static_cast<std::uint64_t>(span.first);
    if (more >= max_phases - coverage.complete.size() - coverage.partial.size())
      throw support::bad_input("the files together list more than a million phases", {},
                               "check the ranges of metadata.phases");
    append(with_data == ranks.size() ? coverage.complete : coverage.partial, span);
    coverage.first_alike.resize(coverage.complete.size(), span.first);
  }
  PLIMSOLL_ENSURE(coverage.complete.size() + coverage.partial.size() <= max_phases);
  return coverage;
}

}  // namespace plimsoll::lbdata
