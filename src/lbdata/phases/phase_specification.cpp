#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <queue>
#include <system_error>

#include <plimsoll/lbdata/phases.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

constexpr std::string_view blanks = " \t\r";
constexpr const char* grammar =
    "use [%]PHASE [NEGATIVE_OFFSET [POSITIVE_OFFSET]] for an entry, or # for a comment";

// Lines of the entries by modulus and phase.
using Lines = std::map<std::pair<bool, std::int64_t>, std::uint64_t>;

/// Parser of a line of a phase specification. vt reads a file number by number, and misinterprets numbers
/// that do not fit (PhaseSpecification describes the format). Here, any text that vt would misread is an
/// error. Text that vt reads correctly has the same meaning.
class LineParser {
 public:
  LineParser(std::string_view text, const std::string& file, std::uint64_t line)
      : text_(text.substr(0, text.find('#'))), file_(file), line_(line) {
    skip_blanks();
  }

  bool at_end() const { return position_ == text_.size(); }

  PhaseSpecificationEntry entry(Lines& lines) {
    PhaseSpecificationEntry entry;
    entry.line = line_;
    const std::size_t begin = position_;
    entry.modulus = take_percent();
    entry.phase = phase(entry.modulus);
    const auto [place, is_new] = lines.try_emplace({entry.modulus, entry.phase}, line_);
    if (!is_new) {
      fail(begin,
           fmt::format("duplicate entry for {}{}, first on line {}", entry.modulus ? "%" : "phase ",
                       entry.phase, place->second),
           "use a single entry");
    }
    if (number_follows()) entry.negative_offset = negative_offset(entry);
    if (number_follows()) entry.positive_offset = positive_offset(entry);
    return entry;
  }

 private:
  std::int64_t phase(bool modulus) {
    if (modulus && !number_follows()) fail(position_, "missing number after %", "use %1 for every phase");
    const std::size_t begin = position_;
    const bool negative = text_[position_] == '-';
    const std::int64_t number = take_number();
    if (negative) {
      fail(begin, "negative phase number",
           "use phase numbers from 0, and the second and third numbers of an entry for offsets");
    }
    if (modulus && number == 0)
      fail(begin, "invalid divisor 0", "use %1 for every phase, or 0 without % for the first");
    return number;
  }

  std::int64_t negative_offset(const PhaseSpecificationEntry& entry) {
    const std::size_t begin = position_;
    const std::int64_t offset = take_number();
    if (offset > 0) {
      fail(begin, fmt::format("invalid negative offset {}: must be <= 0", offset),
           fmt::format("use {} 0 {} for the phases after {}, or one line per phase", to_string(entry), offset,
                       entry.phase));
    }
    return offset;
  }

  std::int64_t positive_offset(const PhaseSpecificationEntry& entry) {
    const std::size_t begin = position_;
    const bool negative = text_[position_] == '-';
    const std::int64_t offset = take_number();
    if (negative) {
      fail(begin, "invalid positive offset: must be >= 0",
           "use the second number of an entry for the negative offset, the third for the positive one");
    }
    if (!entry.modulus && offset > std::numeric_limits<std::int64_t>::max() - entry.phase) {
      fail(begin, fmt::format("phase {} + {} exceeds 64 bits", entry.phase, offset),
           fmt::format("use phase numbers up to {}", std::numeric_limits<std::int64_t>::max()));
    }
    return offset;
  }

  bool take_percent() {
    if (text_[position_] != '%') return false;
    ++position_;
    skip_blanks();
    return true;
  }

  bool number_follows() const { return !at_end() && text_[position_] != '%'; }

  std::int64_t take_number() {
    const std::string_view rest = text_.substr(position_);
    const std::string_view word = rest.substr(0, rest.find_first_of(" \t\r%"));
    const char* const end = word.data() + word.size();
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(word.data(), end, number);
    if (error == std::errc::result_out_of_range) {
      fail(position_, fmt::format("the number {} exceeds 64 bits", shown(word)), "check its digits");
    }
    if (error != std::errc() || stop != end) {
      fail(position_, fmt::format("expected a number, found {}", shown(word)),
           stop != end && error == std::errc() && *stop == '-'
               ? "use \"5 0 5\" for phases 5 to 10: phase 5 and the next 5 phases"
               : grammar);
    }
    position_ += word.size();
    skip_blanks();
    return number;
  }

  void skip_blanks() { position_ = std::min(text_.find_first_not_of(blanks, position_), text_.size()); }

  static std::string shown(std::string_view word) { return support::in_quotes(word, 40); }

  [[noreturn]] void fail(std::size_t position, const std::string& what, std::string suggestion) const {
    throw Error(ErrorKind::bad_input, {.what = fmt::format("column {}: {}", position + 1, what),
                                       .file = file_,
                                       .line = line_,
                                       .suggestion = std::move(suggestion)});
  }

  std::string_view text_;
  const std::string& file_;
  std::uint64_t line_;
  std::size_t position_ = 0;
};

// Returns the sum of numbers >= 0, limited to the maximum phase.
std::int64_t capped_sum(std::int64_t left, std::int64_t right) {
  PLIMSOLL_EXPECT(left >= 0 && right >= 0);
  return left > PhaseRange::no_end - right ? PhaseRange::no_end : left + right;
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
    if (range->last == PhaseRange::no_end) return text;
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

PhaseSpecification PhaseSpecification::parse(std::string_view text, const std::string& name) {
  PhaseSpecification specification;
  Lines lines;
  for (support::LineReader reader(text); !reader.at_end(); reader.advance()) {
    LineParser parser(reader.line(), name, reader.number());
    while (!parser.at_end()) specification.entries_.push_back(parser.entry(lines));
  }
  return specification;
}

PhaseSpecification PhaseSpecification::read(const std::string& path) {
  return parse(support::read_text_file(path), path);
}

std::string to_string(const PhaseSpecificationEntry& entry) {
  std::string text = fmt::format("{}{}", entry.modulus ? "%" : "", entry.phase);
  if (entry.negative_offset != 0 || entry.positive_offset != 0)
    text += fmt::format(" {}", entry.negative_offset);
  if (entry.positive_offset != 0) text += fmt::format(" {}", entry.positive_offset);
  return text;
}

bool PhaseSpecificationEntry::includes(std::int64_t phase_number) const {
  PLIMSOLL_EXPECT(!modulus || phase >= 1);
  if (phase_number < 0) return false;
  if (!modulus) return phase_number >= phase + negative_offset && phase_number <= phase + positive_offset;
  const std::int64_t remainder = phase_number % phase;
  return remainder >= phase + negative_offset || remainder <= positive_offset;
}

std::optional<PhaseRange> PhaseSpecificationEntry::next_range(std::int64_t from) const {
  PLIMSOLL_EXPECT(from >= 0);
  if (!modulus) {
    const PhaseRange range{std::max(from, phase + negative_offset), phase + positive_offset};
    return range.first <= range.last ? std::optional(range) : std::nullopt;
  }
  const Remainders remainders(*this);
  if (remainders.all()) return PhaseRange{from, PhaseRange::no_end};
  const std::int64_t remainder = from % phase;
  const std::int64_t multiple = from - remainder;
  if (remainder <= remainders.low) return PhaseRange{from, capped_sum(multiple, remainders.low)};
  if (multiple > PhaseRange::no_end - remainders.high) return std::nullopt;
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
