#include <fmt/format.h>

#include <plimsoll/lbdata/repair.hpp>
#include <plimsoll/support/internal/format.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

std::string phases_text(std::uint64_t count) {
  return fmt::format("{} phase{}", support::format_count(count), count == 1 ? "" : "s");
}

}  // namespace

std::vector<std::string> losses(const RepairResult& result) {
  std::vector<std::string> lines;
  if (result.torn)
    lines.push_back(
        (result.torn_phase ? fmt::format("incomplete phase {}", *result.torn_phase) : "an incomplete phase") +
        (result.cut ? " and any later phases" : ""));
  if (result.damage && !result.cut)
    lines.push_back(fmt::format("all data from byte {} on: {}", *result.damage->byte, result.damage->what));
  else if (result.damage && !result.torn)
    lines.push_back(fmt::format("any data after byte {}, where the text ends", *result.damage->byte));
  if (result.unreadable_phases > 0)
    lines.push_back(phases_text(result.unreadable_phases) + " violating the schema");
  if (result.repeated_phases > 0)
    lines.push_back(phases_text(result.repeated_phases) + " with a duplicate ID");
  if (result.metadata_lost) lines.emplace_back("metadata (skipped and identical phases, attributes)");
  if (result.identical_lost) lines.emplace_back("the list of phases identical to possibly lost phases");
  for (const Diagnostic& finding : result.findings) lines.push_back(to_string(finding));
  return lines;
}

}  // namespace plimsoll::lbdata
