#include <algorithm>
#include <iterator>
#include <limits>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

constexpr std::int64_t last_phase = std::numeric_limits<std::int64_t>::max();

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
  explicit RankCursor(const RankData& rank) : records_(rank.phases) {
    if (!rank.metadata.phases) return;
    skipped_ = RangeCursor(rank.metadata.phases->skipped);
    identical_ = RangeCursor(rank.metadata.phases->identical_to_previous);
  }

  std::vector<std::int64_t> changes() const {
    std::vector<std::int64_t> phases;
    const auto add = [&](std::int64_t first, std::int64_t last) {
      phases.push_back(first);
      if (last != last_phase) phases.push_back(last + 1);
    };
    for (const PhaseRecord& record : records_) add(record.id, record.id);
    for (const RangeCursor* numbers : {&skipped_, &identical_})
      for (const auto& [first, last] : numbers->ranges()) add(first, last);
    std::ranges::sort(phases);
    phases.erase(std::unique(phases.begin(), phases.end()), phases.end());
    return phases;
  }

  bool has_data(std::int64_t phase) {
    while (next_ < records_.size() && records_[next_].id < phase) ++next_;
    if (next_ < records_.size() && records_[next_].id == phase) return true;
    return !skipped_.contains(phase) && identical_.contains(phase) && next_ > 0;
  }

 private:
  const std::vector<PhaseRecord>& records_;
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

PhaseCoverage phase_coverage(const Dataset& dataset) {
  std::vector<RankCursor> ranks(dataset.ranks.begin(), dataset.ranks.end());
  const std::vector<std::int64_t> changes = changes_of(ranks);
  PhaseCoverage coverage;
  for (std::size_t k = 0; k < changes.size(); ++k) {
    const PhaseRange span = {changes[k], k + 1 < changes.size() ? changes[k + 1] - 1 : last_phase};
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
