#include "collectives/time_files/content_hashes.hpp"

#include <fmt/format.h>

#include <charconv>
#include <iterator>
#include <optional>
#include <string_view>

#include <plimsoll/support/parse.hpp>

#include "collectives/time_files/call_blocks.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

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
