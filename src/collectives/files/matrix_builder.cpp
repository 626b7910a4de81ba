#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "collectives/files/counts_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

constexpr std::uint64_t maximum_ranks = std::numeric_limits<std::int32_t>::max();

/// Reads the number at `at`, and moves `at` past it.
std::int64_t read_count(const char*& at, const char* end, std::uint64_t line) {
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

}  // namespace

void MatrixBuilder::begin(std::uint64_t comm_size, Sign sign, std::uint64_t line) {
  if (comm_size == 0 || comm_size > maximum_ranks)
    throw Malformed{line, fmt::format("invalid communicator size {}", comm_size)};
  budget_.check(comm_size, line);
  comm_size_ = comm_size;
  sign_ = sign;
  columns_ = 0;
  rows_.clear();
  ranks_seen_.clear();
}

void MatrixBuilder::add_row(const NumberList& ranks, std::string_view text, std::uint64_t line) {
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

void MatrixBuilder::check_ranks(std::uint64_t end_line) const {
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

CountMatrix MatrixBuilder::finish(std::uint64_t end_line) {
  check_ranks(end_line);
  return rows_.take(columns_);
}

SignatureCollector::Overlap SignatureCollector::overlap_with(const Signature& signature) {
  const Owners& owned = owners(signature);
  Overlap overlap;
  for (const NumberList::Run& run : signature.calls.runs()) {
    auto next = owned.upper_bound(run.first);
    if (next != owned.begin() && std::prev(next)->second.last >= run.first) --next;
    for (; next != owned.end() && next->first <= run.last; ++next) {
      const std::uint64_t first = std::max(run.first, next->first);
      if (overlap.calls == 0) {
        overlap.first_call = first;
        overlap.signature = next->second.signature;
      }
      overlap.with_several |= next->second.signature != overlap.signature;
      overlap.calls += std::min(run.last, next->second.last) - first + 1;
    }
  }
  return overlap;
}

void SignatureCollector::own(std::size_t signature, const NumberList& calls) {
  Owners& owned = owners(signatures_[signature]);
  for (const NumberList::Run& run : calls.runs()) owned[run.first] = {run.last, signature};
}

void SignatureCollector::replace_calls(std::size_t signature, NumberList calls) {
  Owners& owned = owners(signatures_[signature]);
  for (const NumberList::Run& run : signatures_[signature].calls.runs())
    owned.erase(owned.lower_bound(run.first), owned.upper_bound(run.last));
  own(signature, calls);
  signatures_[signature].calls = std::move(calls);
}

void SignatureCollector::add(Signature signature, std::uint64_t line, Findings& findings) {
  const Overlap overlap = overlap_with(signature);
  if (overlap.calls == 0) {
    signatures_.push_back(std::move(signature));
    own(signatures_.size() - 1, signatures_.back().calls);
    return;
  }
  const Signature& there = signatures_[overlap.signature];
  if (!overlap.with_several && same_counts(there, signature)) {
    if (overlap.calls == signature.calls.size()) return;
    if (overlap.calls == there.calls.size()) {
      replace_calls(overlap.signature, std::move(signature.calls));
      return;
    }
  }
  findings.add(Severity::error, line,
               fmt::format("{} call {} appeared earlier with different counts", signature.operation.name(),
                           overlap.first_call),
               "the first counts are kept; check whether files of several runs are mixed");
}

void SignatureCollector::add_call(Signature signature, Findings& findings) {
  call_by_call_ = true;
  if (overlap_with(signature).calls > 0) return add(std::move(signature), 0, findings);
  const NumberList calls = signature.calls;
  own(by_counts_.add(signatures_, std::move(signature)), calls);
}

std::vector<Signature> SignatureCollector::take() {
  if (call_by_call_) {
    std::ranges::stable_sort(signatures_, {}, [](const Signature& signature) {
      return std::pair(signature.operation.index(), signature.calls.min());
    });
  }
  return std::move(signatures_);
}

}  // namespace plimsoll::collectives
