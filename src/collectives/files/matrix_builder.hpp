#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "collectives/files/counts_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

inline constexpr std::uint64_t maximum_ranks = std::numeric_limits<std::int32_t>::max();

/// Reads the number at `at`, and moves `at` past it.
inline std::int64_t read_count(const char*& at, const char* end, std::uint64_t line) {
  constexpr std::ptrdiff_t safe_digits = 18;
  const char* const begin = at;
  const bool negative = *at == '-';
  if (negative) ++at;
  std::int64_t value = 0;
  const char* const digits = at;
  for (; at != end && static_cast<unsigned char>(*at - '0') <= 9 && at - digits < safe_digits; ++at)
    value = value * 10 + (*at - '0');
  if (negative) value = -value;
  if (at - digits == safe_digits) {
    const auto [rest, error] = std::from_chars(begin, end, value);
    if (error == std::errc::result_out_of_range) throw Malformed{line, "number too large"};
    at = rest;
  }
  if (at == digits || (at != end && *at != ' ' && *at != '\t')) {
    throw Malformed{line, "expected a number, not " +
                              shown(std::string_view(begin, static_cast<std::size_t>(end - begin)))};
  }
  return value;
}

/// Whether the numbers in rows may be negative.
enum class Sign : std::uint8_t { not_negative, any };

/// Builds a CountMatrix from rows of text and validates it: rows must have equal length, and each rank of the
/// communicator must be in exactly one row. Equal rows are merged. O(numbers); can build many matrices one
/// after another.
class MatrixBuilder {
 public:
  explicit MatrixBuilder(Budget& budget) : budget_(budget) {}

  /// Discards the current rows and begins a matrix. Throws Malformed for an impossible number of ranks.
  void begin(std::uint64_t comm_size, Sign sign, std::uint64_t line) {
    if (comm_size == 0 || comm_size > maximum_ranks)
      throw Malformed{line, fmt::format("invalid communicator size {}", comm_size)};
    budget_.check(comm_size, line);
    comm_size_ = comm_size;
    sign_ = sign;
    columns_ = 0;
    rows_.clear();
    ranks_seen_.clear();
  }

  /// Adds a row; `numbers` are separated by spaces. Throws Malformed with `line`.
  void add_row(const NumberList& ranks, std::string_view text, std::uint64_t line) {
    if (ranks.max() >= comm_size_)
      throw Malformed{line,
                      fmt::format("invalid rank {}: the communicator has {} ranks", ranks.max(), comm_size_)};
    std::vector<std::int64_t>& numbers = rows_.numbers();
    const std::size_t before = numbers.size();
    const char* const end = text.data() + text.size();
    bool negative = false;
    for (const char* at = text.data(); at != end;) {
      if (*at == ' ' || *at == '\t') {
        ++at;
        continue;
      }
      numbers.push_back(read_count(at, end, line));
      negative |= numbers.back() < 0;
    }
    if (negative && sign_ == Sign::not_negative) throw Malformed{line, "negative count"};
    const std::size_t count = numbers.size() - before;
    if (count == 0) throw Malformed{line, "row without numbers"};
    if (!rows_.empty() && count != columns_)
      throw Malformed{
          line, fmt::format("row contains {} numbers, but the previous row contains {}", count, columns_)};
    columns_ = count;
    budget_.take(count, line);

    const std::span<const std::int64_t> added = std::span(numbers).last(count);
    const DistinctRows::Row row = rows_.row(digest_of(added).low, [&](std::uint32_t position) {
      return std::ranges::equal(added, std::span(numbers).subspan(position * count, count));
    });
    if (!row.is_new) numbers.resize(before);
    row.ranks.append(ranks);
    for (const NumberList::Run& run : ranks.runs()) ranks_seen_.push_back({run, line});
  }

  bool empty() const { return ranks_seen_.empty(); }
  /// Returns the matrix. Throws Malformed with the line of the invalid row, or with `end_line` if ranks lack
  /// a row.
  CountMatrix finish(std::uint64_t end_line) {
    check_ranks(end_line);
    return rows_.take(columns_);
  }

 private:
  /// Ranks that share a row, and the row's line.
  struct Ranks {
    NumberList::Run run;
    std::uint64_t line;
  };

  void check_ranks(std::uint64_t end_line) const {
    std::vector<Ranks> sorted = ranks_seen_;
    std::ranges::sort(sorted, {}, [](const Ranks& ranks) { return ranks.run.first; });
    std::uint64_t next = 0;
    std::uint64_t line_before = 0;
    for (const Ranks& ranks : sorted) {
      if (ranks.run.first < next) {
        throw Malformed{std::max(ranks.line, line_before),
                        fmt::format("duplicate row of rank {}", ranks.run.first)};
      }
      if (ranks.run.first > next) throw Malformed{end_line, fmt::format("missing row of rank {}", next)};
      next = ranks.run.last + 1;
      line_before = ranks.line;
    }
    if (next < comm_size_) throw Malformed{end_line, fmt::format("missing row of rank {}", next)};
  }

  Budget& budget_;
  std::uint64_t comm_size_ = 0;
  Sign sign_ = Sign::not_negative;
  std::size_t columns_ = 0;
  DistinctRows rows_;
  std::vector<Ranks> ranks_seen_;
};

}  // namespace plimsoll::collectives
