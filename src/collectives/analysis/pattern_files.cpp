#include <fmt/format.h>

#include <utility>

#include <plimsoll/collectives/patterns.hpp>

#include "collectives/files/profile_output.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

std::string block(std::size_t number, const Pattern& pattern, const LeadPatterns& lead) {
  std::string text = fmt::format("## Pattern #{} ({}/{} {} calls)\n\n{} calls: {}\n\n", number,
                                 pattern.calls.size(), lead.calls, lead.operation.lower_case_name(),
                                 lead.operation.name(), pattern.calls.to_string(","));
  for (const std::string& sentence : sentences(pattern.shape)) text += sentence + "\n\n";
  return text + "\n";
}

std::string all_patterns(const LeadPatterns& lead) {
  std::string text = "# Patterns\n";
  for (std::size_t k = 0; k < lead.patterns.size(); ++k) text += block(k, lead.patterns[k], lead);
  return text;
}

std::string section(const char* title, PatternClass wanted, const LeadPatterns& lead, const ClassRule& rule) {
  std::string blocks;
  std::size_t number = 0;
  for (const Pattern& pattern : lead.patterns)
    for (const auto& [peers, ranks] : pattern.shape.send)
      if (is_of_class(peers, ranks, wanted, rule)) blocks += block(number++, pattern, lead);
  return blocks.empty() ? "" : title + blocks;
}

std::string special_patterns(const LeadPatterns& lead, const ClassRule& rule) {
  return section("# 1 to N patterns\n\n", PatternClass::one_to_n, lead, rule) +
         section("\n# N to 1 patterns\n\n", PatternClass::n_to_one, lead, rule) +
         section("\n# N to n patterns\n\n", PatternClass::n_to_n, lead, rule);
}

}  // namespace

std::vector<std::string> write_patterns(const std::vector<LeadPatterns>& patterns, const std::string& folder,
                                        const ClassRule& rule, bool overwrite) {
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::pair<std::string, std::string>> texts;
  for (const LeadPatterns& lead : patterns) {
    auto& [all, special] = texts[{lead.job, lead.lead}];
    all += all_patterns(lead);
    special += special_patterns(lead, rule);
  }
  ProfileOutput files(folder, overwrite);
  const auto add_file = [&](const std::string& name, const std::string& text) {
    files.add(name, [&](support::TextBuffer& output) { output.append(text); });
  };
  for (const auto& [key, text] : texts) {
    const auto& [all, special] = text;
    const std::string name = fmt::format("job{}-rank{}.md", key.first, key.second);
    add_file("patterns-" + name, all);
    add_file("patterns-summary-" + name, special.empty() ? "Nothing special detected; no summary" : special);
  }
  return files.publish();
}

}  // namespace plimsoll::collectives
