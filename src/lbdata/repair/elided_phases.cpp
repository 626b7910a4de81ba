#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/lbdata/repair.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

constexpr std::string_view line_begin = "elided ";
static_assert(line_begin.size() == counts_offset);
constexpr std::int64_t most_phases = 10'000'000;  // above what readers accept in lists

constexpr std::string_view identical_kind = " identical";
constexpr std::string_view skipped_kind = " except";

bool take_padded(std::string_view& text, std::int64_t& number) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return support::take_number(text, number);
}

}  // namespace

std::optional<PhaseMetadata> ElidedPhases::lists(const std::function<bool(std::int64_t)>& is_written) const {
  if (last > most_phases) return std::nullopt;
  PhaseMetadata phases;
  std::int64_t found = 0;
  for (std::int64_t phase = 0; phase <= last; ++phase) {
    if (is_written(phase)) continue;
    const bool is_skipped = specification && !specification->includes(phase);
    (is_skipped ? phases.skipped : phases.identical_to_previous).append(phase);
    ++found;
  }
  if (found != count || (!identical && !phases.identical_to_previous.empty())) return std::nullopt;
  return phases;
}

std::string to_line(const ElidedPhases& elided) {
  std::string line = fmt::format("{}{}", line_begin, counts_text(elided));
  if (elided.identical) line += identical_kind;
  if (elided.specification) {
    line += skipped_kind;
    for (const PhaseSpecificationEntry& entry : elided.specification->entries())
      line += fmt::format(" {}{} {} {}", entry.modulus ? "%" : "", entry.phase, entry.negative_offset,
                          entry.positive_offset);
  }
  return line + '\n';
}

std::string counts_text(const ElidedPhases& elided) {
  PLIMSOLL_EXPECT(elided.count >= 0 && elided.last >= -1);
  return fmt::format("{:20} {:20}", elided.count, elided.last);
}

std::optional<ElidedPhases> take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, std::min(end, text.size()));
  if (end == std::string_view::npos || !support::take(line, line_begin)) return std::nullopt;
  ElidedPhases elided;
  if (!take_padded(line, elided.count) || !take_padded(line, elided.last)) return std::nullopt;
  elided.identical = support::take(line, identical_kind);
  try {
    if (support::take(line, skipped_kind)) elided.specification = PhaseSpecification::parse(line, "");
  } catch (const Error&) {
    return std::nullopt;
  }
  text.remove_prefix(end + 1);
  return elided;
}

}  // namespace plimsoll::lbdata
