#include "lbdata/reading/complete_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "lbdata/checking/checks.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

bool is_count(std::int64_t number) {
  return number >= 1 && number <= std::numeric_limits<std::int32_t>::max();
}

std::string count(std::uint64_t number, const char* what) {
  return fmt::format("{} {}{}", support::format_count(number), what, number == 1 ? "" : "s");
}

/// Formats phases as "3-7, 9", with up to ten ranges.
std::string list_of(const std::vector<std::int64_t>& phases) {
  std::vector<PhaseRange> ranges;
  for (const std::int64_t phase : phases) {
    if (ranges.empty() || ranges.back().last + 1 != phase) ranges.push_back({phase, phase});
    ranges.back().last = phase;
  }
  std::vector<std::string> texts;
  for (const PhaseRange& range : ranges) texts.push_back(to_string(range));
  return support::listed(texts, 10);
}

}  // namespace

void RankCount::add(const RankMetadata& metadata) {
  ++n_files_;
  if (!metadata.shared_node) return;
  const SharedNode& node = *metadata.shared_node;
  if (!is_count(node.size) || !is_count(node.num_nodes)) return;
  n_nodes_ = std::max(n_nodes_, static_cast<std::size_t>(node.num_nodes));
  std::size_t& n_ranks = n_ranks_[node.id];
  n_ranks = std::max(n_ranks, static_cast<std::size_t>(node.size));
}

std::optional<Diagnostic> RankCount::finding(const std::vector<RankFile>& files,
                                             std::size_t expected_ranks) const {
  const auto incomplete = [&](const std::string& expected, std::string suggestion) {
    Diagnostic diagnostic = lbdata::finding(
        Check::complete_set, fmt::format("the data set has {}, but {}", count(n_files_, "file"), expected),
        std::move(suggestion));
    const std::string folder = std::filesystem::path(files.front().path).parent_path().string();
    diagnostic.file = folder.empty() ? "." : folder;
    return diagnostic;
  };
  if (expected_ranks > 0) {
    if (n_files_ == expected_ranks) return std::nullopt;
    return incomplete(
        count(expected_ranks, "rank") + (expected_ranks == 1 ? " is" : " are") + " expected",
        n_files_ < expected_ranks ? "add the files of the other ranks" : "specify the files of one data set");
  }
  // A node without any file has at least one rank.
  const std::size_t n_other_nodes = n_nodes_ - std::min(n_nodes_, n_ranks_.size());
  const char* const at_least = n_other_nodes > 0 ? "at least " : "";
  std::size_t n_ranks = n_other_nodes;
  for (const auto& [node, on_node] : n_ranks_) n_ranks += on_node;
  if (n_files_ >= n_ranks) return std::nullopt;
  return incomplete(
      fmt::format("its metadata (shared_node) specify {}{}", at_least, count(n_ranks, "rank")),
      fmt::format("add the missing files, or use --expected-ranks {} if these files are sufficient",
                  n_files_));
}

std::optional<Diagnostic> finding_of_phases(const PhaseCoverage& coverage) {
  if (coverage.partial.empty()) return std::nullopt;
  if (coverage.complete.empty())
    return finding(Check::complete_set,
                   fmt::format("no phase has data on all ranks; only some ranks have data for {}",
                               list_of(coverage.partial)));
  Diagnostic warning = finding(
      Check::complete_set, fmt::format("some ranks have no data for {}: {}",
                                       count(coverage.partial.size(), "phase"), list_of(coverage.partial)));
  warning.severity = Severity::warning;
  return warning;
}

}  // namespace plimsoll::lbdata
