#include "collectives/analysis/pattern_runs.hpp"

#include <algorithm>

#include <plimsoll/collectives/patterns.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

std::vector<PatternRun> runs_of(const std::vector<Pattern>& patterns) {
  std::vector<PatternRun> pieces;
  for (std::size_t k = 0; k < patterns.size(); ++k)
    for (const NumberList::Run& run : patterns[k].calls.runs()) pieces.push_back({run, k, run.size()});
  std::ranges::sort(pieces, {}, [](const PatternRun& run) { return run.calls.first; });
  std::vector<PatternRun> runs;
  for (const PatternRun& piece : pieces) {
    if (!runs.empty() && runs.back().pattern == piece.pattern) {
      runs.back().calls.last = piece.calls.last;
      runs.back().n_calls += piece.n_calls;
    } else {
      runs.push_back(piece);
    }
  }
  return runs;
}

namespace {

constexpr std::size_t max_cycle = 16;

bool alike(const PatternRun& a, const PatternRun& b) {
  return a.pattern == b.pattern && a.n_calls == b.n_calls;
}

/// Returns how often the `length` runs starting at `begin` repeat consecutively.
std::size_t repeats_of(const std::vector<PatternRun>& runs, std::size_t begin, std::size_t length) {
  std::size_t end = begin + length;
  while (end < runs.size() && alike(runs[end], runs[end - length])) ++end;
  return (end - begin) / length;
}

}  // namespace

std::vector<RepeatedCycle> find_cycles(const std::vector<PatternRun>& runs) {
  std::vector<RepeatedCycle> cycles;
  for (std::size_t begin = 0; begin < runs.size();) {
    std::size_t best_length = 1;
    std::size_t best_repeats = 1;
    for (std::size_t length = 2; length <= std::min(max_cycle, (runs.size() - begin) / 2); ++length) {
      const std::size_t repeats = repeats_of(runs, begin, length);
      if (repeats > 1 && repeats * length > best_repeats * best_length) {
        best_length = length;
        best_repeats = repeats;
      }
    }
    const std::size_t end = begin + best_length * best_repeats;
    RepeatedCycle repeated{.first_call = runs[begin].calls.first,
                           .last_call = runs[end - 1].calls.last,
                           .cycle = {},
                           .repeats = best_repeats};
    for (std::size_t k = begin; k < begin + best_length; ++k)
      repeated.cycle.emplace_back(runs[k].pattern, runs[k].n_calls);
    cycles.push_back(std::move(repeated));
    begin = end;
  }
  return cycles;
}

namespace {

/// Removes calls from the front of the timeline.
class Cursor {
 public:
  explicit Cursor(const std::vector<RepeatedCycle>& timeline) : timeline_(timeline) {}

  /// Adds the next `calls` calls to the totals of their patterns.
  void take(std::uint64_t calls, std::map<std::size_t, std::uint64_t>& calls_of) {
    while (calls > 0 && cycle_ < timeline_.size()) {
      const auto& [pattern, length] = timeline_[cycle_].cycle[place_];
      const std::uint64_t taken = std::min(calls, length - used_);
      calls_of[pattern] += taken;
      calls -= taken;
      used_ += taken;
      if (used_ == length) next();
    }
  }

 private:
  void next() {
    used_ = 0;
    if (++place_ < timeline_[cycle_].cycle.size()) return;
    place_ = 0;
    if (++repeat_ < timeline_[cycle_].repeats) return;
    repeat_ = 0;
    ++cycle_;
  }

  const std::vector<RepeatedCycle>& timeline_;
  std::size_t cycle_ = 0;
  std::uint64_t repeat_ = 0;
  std::size_t place_ = 0;
  std::uint64_t used_ = 0;
};

}  // namespace

std::vector<std::size_t> dominant_patterns(const LeadPatterns& lead, std::size_t columns) {
  std::vector<std::size_t> patterns;
  Cursor cursor(lead.timeline);
  columns = std::min<std::uint64_t>(columns, lead.calls);
  for (std::uint64_t column = 0; column < columns; ++column) {
    std::map<std::size_t, std::uint64_t> calls_of;
    cursor.take(lead.calls / columns + (column < lead.calls % columns ? 1 : 0), calls_of);
    if (calls_of.empty()) break;
    patterns.push_back(
        std::ranges::max_element(calls_of, {}, [](const auto& entry) { return entry.second; })->first);
  }
  return patterns;
}

}  // namespace plimsoll::collectives
