#include <fmt/format.h>

#include <algorithm>

#include "lbdata/checking/checks.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

class MetadataCheck {
 public:
  explicit MetadataCheck(const std::set<std::int64_t>& phases) : phases_(phases) {}

  void rank(std::int64_t in_metadata, std::int64_t in_name) {
    if (in_metadata == in_name) return;
    add(fmt::format("rank {} in the metadata does not match rank {} in the file name", in_metadata, in_name),
        "/metadata/rank", "rename the file, or correct the metadata");
  }

  void lists(const PhaseMetadata& metadata) {
    list(metadata.skipped, "skipped");
    list(metadata.identical_to_previous, "identical_to_previous");
    if (lists_earlier_phase(metadata.identical_to_previous))
      add("a phase is listed as identical to the previous one, but no phase with data precedes it",
          "/metadata/phases/identical_to_previous");
    if (metadata.count) count(*metadata.count, n_listed(metadata));
  }

  std::vector<Diagnostic> take() { return std::move(findings_); }

 private:
  void add(std::string what, std::string pointer, std::string suggestion = {}) {
    findings_.push_back(finding(Check::metadata, std::move(what), std::move(suggestion)));
    findings_.back().pointer = std::move(pointer);
  }

  static bool is_range(const std::vector<std::int64_t>& ends) {
    return ends.size() == 2 && ends[0] <= ends[1];
  }

  void list(const PhaseNumbers& numbers, const char* name) {
    const auto listed = std::ranges::find_if(phases_, [&](std::int64_t id) { return numbers.contains(id); });
    const std::string pointer = fmt::format("/metadata/phases/{}", name);
    if (listed != phases_.end())
      add(fmt::format("phase {} is listed under {}, but the file contains it", *listed, name), pointer);
    for (std::size_t i = 0; i < numbers.range.size(); ++i)
      if (!is_range(numbers.range[i]))
        add("invalid range: expected a first and a last phase", fmt::format("{}/range/{}", pointer, i));
  }

  bool lists_earlier_phase(const PhaseNumbers& identical) const {
    const auto is_earlier = [&](std::int64_t phase) { return phases_.empty() || phase < *phases_.begin(); };
    return std::ranges::any_of(identical.list, is_earlier) ||
           std::ranges::any_of(identical.range,
                               [&](const auto& range) { return !range.empty() && is_earlier(range[0]); });
  }

  static std::uint64_t n_listed(const PhaseMetadata& metadata) {
    std::uint64_t listed = 0;
    for (const PhaseNumbers* numbers : {&metadata.skipped, &metadata.identical_to_previous}) {
      listed += numbers->list.size();
      for (const auto& range : numbers->range)
        if (is_range(range))
          listed += static_cast<std::uint64_t>(range[1]) - static_cast<std::uint64_t>(range[0]) + 1;
    }
    return listed;
  }

  void count(std::int64_t in_metadata, std::uint64_t listed) {
    const auto count = static_cast<std::uint64_t>(in_metadata);
    if (count == phases_.size() || count == phases_.size() + listed) return;
    add(fmt::format("wrong phase count {} in the metadata: the file contains {} and lists {} more",
                    in_metadata, phases_.size(), listed),
        "/metadata/phases/count");
  }

  const std::set<std::int64_t>& phases_;
  std::vector<Diagnostic> findings_;
};

}  // namespace

std::vector<Diagnostic> metadata_findings(const RankMetadata& metadata, std::optional<std::int64_t> rank,
                                          const std::set<std::int64_t>& phases) {
  MetadataCheck check(phases);
  if (rank && metadata.rank) check.rank(*metadata.rank, *rank);
  if (metadata.phases) check.lists(*metadata.phases);
  return check.take();
}

}  // namespace plimsoll::lbdata
