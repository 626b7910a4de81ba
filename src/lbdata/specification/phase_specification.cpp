#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <queue>

#include <plimsoll/lbdata/phases.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

constexpr std::int64_t last_phase = std::numeric_limits<std::int64_t>::max();

// Returns the sum of numbers >= 0, limited to the maximum phase.
std::int64_t capped_sum(std::int64_t left, std::int64_t right) {
  return left > last_phase - right ? last_phase : left + right;
}

// Remainders of the phases that a modulus entry includes: 0 to `low`, and `high` to the modulus - 1.
struct Remainders {
  explicit Remainders(const PhaseSpecificationEntry& entry)
      : low(std::min(entry.positive_offset, entry.phase - 1)),
        high(std::max<std::int64_t>(entry.phase + entry.negative_offset, 0)) {}
  bool all() const { return high <= low + 1; }

  std::int64_t low;
  std::int64_t high;
};

std::string phases_text(std::int64_t number) {
  return fmt::format("{} phase{}", number, number == 1 ? "" : "s");
}

// Formats the first ranges, such as "0-3, 97-103, 197-203, ...".
std::string first_ranges(const PhaseSpecificationEntry& entry) {
  std::string text;
  std::int64_t from = 0;
  for (int shown = 0; shown < 3; ++shown) {
    const std::optional<PhaseRange> range = entry.next_range(from);
    if (!range) return text;
    text += (text.empty() ? "" : ", ") + to_string(*range);
    if (range->last == last_phase) return text;
    from = range->last + 1;
  }
  return entry.next_range(from) ? text + ", ..." : text;
}

std::string surroundings(const PhaseSpecificationEntry& entry) {
  const Remainders remainders(entry);
  const std::int64_t before = entry.phase - remainders.high;
  const std::int64_t after = remainders.low;
  if (before == 0 && after == 0) return "";
  if (after == 0) return fmt::format(" and {} before it", phases_text(before));
  if (before == 0) return fmt::format(" and {} after it", phases_text(after));
  return fmt::format(", {} before and {} after it", phases_text(before), phases_text(after));
}

}  // namespace

std::string to_string(const PhaseSpecificationEntry& entry) {
  std::string text = fmt::format("{}{}", entry.modulus ? "%" : "", entry.phase);
  if (entry.negative_offset != 0 || entry.positive_offset != 0)
    text += fmt::format(" {}", entry.negative_offset);
  if (entry.positive_offset != 0) text += fmt::format(" {}", entry.positive_offset);
  return text;
}

bool PhaseSpecificationEntry::includes(std::int64_t phase_number) const {
  if (phase_number < 0) return false;
  if (!modulus) return phase_number >= phase + negative_offset && phase_number <= phase + positive_offset;
  const std::int64_t remainder = phase_number % phase;
  return remainder >= phase + negative_offset || remainder <= positive_offset;
}

std::optional<PhaseRange> PhaseSpecificationEntry::next_range(std::int64_t from) const {
  if (!modulus) {
    const PhaseRange range{std::max(from, phase + negative_offset), phase + positive_offset};
    return range.first <= range.last ? std::optional(range) : std::nullopt;
  }
  const Remainders remainders(*this);
  if (remainders.all()) return PhaseRange{from, last_phase};
  const std::int64_t remainder = from % phase;
  const std::int64_t multiple = from - remainder;
  if (remainder <= remainders.low) return PhaseRange{from, capped_sum(multiple, remainders.low)};
  if (multiple > last_phase - remainders.high) return std::nullopt;
  return PhaseRange{std::max(from, multiple + remainders.high),
                    capped_sum(capped_sum(multiple, phase), remainders.low)};
}

std::string PhaseSpecificationEntry::meaning() const {
  if (modulus) {
    if (Remainders(*this).all()) return "every phase";
    return fmt::format("each multiple of {}{}: {}", phase, surroundings(*this), first_ranges(*this));
  }
  const PhaseRange range = *next_range(0);
  return range.first == range.last ? fmt::format("phase {}", range.first)
                                   : fmt::format("phases {} to {}", range.first, range.last);
}

bool PhaseSpecification::includes(std::int64_t phase) const {
  return std::ranges::any_of(entries_, [phase](const auto& entry) { return entry.includes(phase); });
}

std::vector<PhaseRange> PhaseSpecification::ranges(PhaseRange interval) const {
  struct Next {
    PhaseRange range;
    const PhaseSpecificationEntry* entry;
  };
  const auto later = [](const Next& left, const Next& right) { return left.range.first > right.range.first; };
  std::priority_queue<Next, std::vector<Next>, decltype(later)> queue(later);
  const auto enqueue = [&](const PhaseSpecificationEntry& entry, std::int64_t from) {
    const std::optional<PhaseRange> range = entry.next_range(from);
    if (range && range->first <= interval.last) {
      queue.push({{range->first, std::min(range->last, interval.last)}, &entry});
    }
  };

  for (const PhaseSpecificationEntry& entry : entries_)
    enqueue(entry, std::max<std::int64_t>(interval.first, 0));
  std::vector<PhaseRange> merged;
  while (!queue.empty()) {
    const auto [range, entry] = queue.top();
    queue.pop();
    if (merged.empty() || range.first - 1 > merged.back().last) {
      merged.push_back(range);
    } else {
      merged.back().last = std::max(merged.back().last, range.last);
    }
    if (merged.back().last < interval.last) enqueue(*entry, merged.back().last + 1);
  }
  return merged;
}

}  // namespace plimsoll::lbdata
