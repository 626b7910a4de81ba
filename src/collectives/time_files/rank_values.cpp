#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>

#include <plimsoll/support/parse.hpp>

#include "collectives/time_files/call_blocks.hpp"
#include "collectives/time_files/time_file_kinds.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

/// Returns the values of the call with this ID; empty if missing.
std::span<const double> find_call(const RankValues* values, std::uint64_t id) {
  if (values == nullptr) return {};
  const auto call = std::ranges::lower_bound(values->calls, id);
  if (call == values->calls.end() || *call != id) return {};
  return values->of_call(static_cast<std::size_t>(call - values->calls.begin()));
}

std::optional<double> take_seconds(std::string_view& text) {
  double seconds = 0;
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  if (!support::take_number(text, seconds) || !std::isfinite(seconds)) return std::nullopt;
  return seconds;
}

/// Returns the first number of the current line. The line must contain one number, or up to two if
/// `may_be_two`.
std::optional<double> first_seconds(std::string_view line, bool may_be_two) {
  const std::optional<double> first = take_seconds(line);
  if (first && may_be_two && !line.empty() && !take_seconds(line)) return std::nullopt;
  return line.empty() ? first : std::nullopt;
}

}  // namespace

std::string values_text(const RankValues& values) {
  std::string text(version_line);
  text += '\n';
  for (std::size_t k = 0; k < values.calls.size(); ++k) {
    fmt::format_to(std::back_inserter(text), "# Call {}\n", values.calls[k]);
    for (const double value : values.of_call(k)) fmt::format_to(std::back_inserter(text), "{:.9f}\n", value);
    text += '\n';
  }
  return text;
}

std::string timestamps_text(const RankValues& begin_s, const RankValues* execution_s) {
  std::string text(version_line);
  text += '\n';
  for (std::size_t k = 0; k < begin_s.calls.size(); ++k) {
    fmt::format_to(std::back_inserter(text), "# Call {}\n", begin_s.calls[k]);
    const auto begins = begin_s.of_call(k);
    const auto durations = find_call(execution_s, begin_s.calls[k]);
    for (std::size_t rank = 0; rank < begins.size(); ++rank) {
      fmt::format_to(std::back_inserter(text), "{:.9f}", begins[rank]);
      if (rank < durations.size())
        fmt::format_to(std::back_inserter(text), " {:.9f}", begins[rank] + durations[rank]);
      text += '\n';
    }
    text += '\n';
  }
  return text;
}

void read_rank_values(const TimeFileName& name, TimeFileText& text, const Lead& lead,
                      std::vector<RankValues>& all, const ReadLimits& limits) {
  const bool may_be_two = name.kind == TimeFileKind::timestamps;
  const auto parse = [may_be_two](std::string_view line) { return first_seconds(line, may_be_two); };
  read_call_blocks<double>(name, text, lead, "number of seconds", parse, all, limits);
}

namespace {

constexpr std::string_view not_recorded = "-";
constexpr std::size_t digits = 16;

std::string hash_text(std::uint64_t hash) {
  return hash == 0 ? std::string(not_recorded) : fmt::format("{:016x}", hash);
}

std::optional<std::uint64_t> hash_of(std::string_view word) {
  if (word == not_recorded) return 0;
  std::uint64_t hash = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), hash, 16);
  const bool is_whole = error == std::errc() && end == word.data() + word.size();
  return is_whole && word.size() == digits && hash != 0 ? std::optional(hash) : std::nullopt;
}

std::optional<DataHashes> hashes_of(std::string_view line) {
  const auto sent = hash_of(support::take_word(line));
  const auto received = hash_of(support::take_word(line));
  if (!sent || !received || !line.empty()) return std::nullopt;
  return DataHashes{*sent, *received};
}

}  // namespace

std::string content_hashes_text(const RankHashes& hashes) {
  std::string text(version_line);
  text += '\n';
  for (std::size_t k = 0; k < hashes.calls.size(); ++k) {
    fmt::format_to(std::back_inserter(text), "# Call {}\n", hashes.calls[k]);
    for (const DataHashes& of_rank : hashes.of_call(k))
      fmt::format_to(std::back_inserter(text), "{} {}\n", hash_text(of_rank.sent),
                     hash_text(of_rank.received));
    text += '\n';
  }
  return text;
}

void read_content_hashes(const TimeFileName& name, TimeFileText& text, Lead& lead, const ReadLimits& limits) {
  read_call_blocks<DataHashes>(name, text, lead, "pair of hashes", hashes_of, lead.hashes, limits);
}

}  // namespace plimsoll::collectives
