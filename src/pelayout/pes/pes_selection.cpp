#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <regex>
#include <set>

#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "pelayout/pes/commands.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

constexpr std::size_t max_pattern_chars = 500;
constexpr std::size_t max_name_chars = 1'000;
constexpr std::uint64_t max_work = 10'000'000;  // the largest known file needs 0.5 million steps
constexpr std::size_t compile_work = 100;       // compiling a character costs as much as this many steps

support::Error refused(const std::string& pattern, const std::string& why) {
  return support::bad_input(
      fmt::format("{} is not a supported regular expression: {}", support::in_quotes(pattern, 60), why));
}

/// Rejects constructs that the linear search below does not support, or that would allow a malicious file to
/// cause any amount of work.
void expect_simple(const std::string& pattern) {
  if (pattern.size() > max_pattern_chars) throw refused(pattern, "it is too long");
  for (std::size_t k = 0; k < pattern.size(); ++k) {
    const char next = k + 1 < pattern.size() ? pattern[k + 1] : '\0';
    if (pattern[k] == '\\') {
      if (next >= '1' && next <= '9') throw refused(pattern, "it contains a back-reference");
      ++k;
    } else if (pattern[k] == '{') {
      throw refused(pattern, "it contains a repetition count");
    } else if (pattern[k] == '(' && next == '?' && pattern.compare(k, 3, "(?:") != 0) {
      throw refused(pattern, "it contains a group of the form (?...)");
    }
  }
}

bool matches(const std::string& pattern, const std::string& name) {
  try {
    // Use the matcher that follows all alternatives at once; the default matcher tries them one by one, on
    // the stack. Matching the whole name, with any text before and after, takes one pass, whereas a search
    // takes one pass per position.
    constexpr auto flags = std::regex::ECMAScript | std::regex::nosubs | std::regex_constants::__polynomial;
    // Check the pattern alone, because "a)|(b" is valid within the group below.
    [[maybe_unused]] const std::regex checked(pattern, flags);
    const std::regex anywhere("[^]*(?:" + pattern + ")[^]*", flags);
    return std::regex_match(name, anywhere);
  } catch (const std::regex_error&) {
    throw refused(pattern, "it is malformed");
  }
}

/// Scores the match of one attribute: `worth` for a match, 0 for "any", empty for a mismatch.
std::optional<int> score(const std::string& pattern, const std::string& name, int worth,
                         NamePatterns& patterns) {
  if (pattern == "any") return 0;
  return patterns.is_found(pattern, name) ? std::optional(worth) : std::nullopt;
}

/// Scores the match of an entry with a run, regardless of its size; empty if it does not match.
std::optional<int> score_of_run(const PesEntry& entry, const PesQuery& query, NamePatterns& patterns) {
  int sum = 0;
  for (const auto& match :
       {score(entry.compset, query.compset, 2, patterns), score(entry.grid, query.grid, 3, patterns),
        score(entry.machine, query.machine, 7, patterns)}) {
    if (!match) return std::nullopt;
    sum += *match;
  }
  return sum;
}

/// Does the same, and adds the entry's location to any error.
std::optional<int> located_score_of_run(const PesFile& file, const PesEntry& entry, const PesQuery& query,
                                        NamePatterns& patterns) {
  try {
    return score_of_run(entry, query, patterns);
  } catch (const Error& error) {
    Diagnostic diagnostic = error.diagnostic();
    diagnostic.file = file.path;
    diagnostic.line = entry.line;
    throw Error(error.kind(), std::move(diagnostic));
  }
}

/// Scores the match of an entry; empty if it does not match.
std::optional<int> located_score(const PesFile& file, const PesEntry& entry, const PesQuery& query,
                                 NamePatterns& patterns) {
  if (entry.pesize != "any" && entry.pesize != query.pesize) return std::nullopt;
  const std::optional<int> score = located_score_of_run(file, entry, query, patterns);
  return score ? std::optional(*score + (entry.pesize == "any" ? 0 : 1)) : std::nullopt;
}

std::string to_string(const PesQuery& query) {
  return fmt::format("grid {}, machine {}, compset {}, pesize {}", query.grid, query.machine, query.compset,
                     query.pesize.empty() ? "\"\"" : query.pesize);
}

std::string names_of_sizes(const PesFile& file) {
  constexpr std::size_t shown = 20;
  std::set<std::string> sizes;
  for (const PesEntry& entry : file.entries) sizes.insert(entry.pesize);
  const auto end = std::next(sizes.begin(), static_cast<std::ptrdiff_t>(std::min(sizes.size(), shown)));
  return fmt::format("{}{}", fmt::join(sizes.begin(), end, ", "), sizes.size() > shown ? ", ..." : "");
}

void lay_on_top(PesEntry& entry, const PesEntry& top) {
  if (!top.comment.empty()) entry.comment = top.comment;
  for (const auto& [name, pes] : top.components) {
    ComponentPes& below = entry.components[name];
    for (const auto& [kind, count] : pes_counts)
      if (pes.*count) below.*count = pes.*count;
  }
  for (const auto& [name, value] : top.variables) entry.variables[name] = value;
}

}  // namespace

bool NamePatterns::is_found(const std::string& pattern, const std::string& name) {
  if (const auto known = found_.find({pattern, name}); known != found_.end()) return known->second;
  expect_simple(pattern);
  if (name.size() > max_name_chars) throw support::bad_input("a name is too long to search");
  const std::uint64_t work = pattern.size() * (name.size() + compile_work);
  if (work > max_work - work_)
    throw support::bad_input("the regular expressions together are too long to search", {},
                             "use fewer or shorter regular expressions");
  work_ += work;
  return found_[{pattern, name}] = matches(pattern, name);
}

std::vector<const PesEntry*> entries_for(const PesFile& file, const PesQuery& run, NamePatterns& patterns) {
  std::vector<const PesEntry*> entries;
  for (const PesEntry& entry : file.entries)
    if (located_score_of_run(file, entry, run, patterns)) entries.push_back(&entry);
  return entries;
}

PesEntry select_pes(const PesFile& file, const PesQuery& query) {
  NamePatterns patterns;
  return select_pes(file, query, patterns);
}

PesEntry select_pes(const PesFile& file, const PesQuery& query, NamePatterns& patterns) {
  const PesEntry* best = nullptr;
  const PesEntry* second = nullptr;  // second entry with the best score, if any
  int best_score = -1;
  for (const PesEntry& entry : file.entries) {
    const auto match = located_score(file, entry, query, patterns);
    if (!match || *match < best_score) continue;
    second = *match == best_score ? best : nullptr;
    best = &entry;
    best_score = *match;
  }
  if (best == nullptr)
    throw support::bad_input("no PE layout for " + to_string(query), file.path,
                             file.entries.empty()
                                 ? "check the file: it contains no pes element"
                                 : "use one of the available pesizes: " + names_of_sizes(file));
  if (second != nullptr)
    throw support::bad_input(
        fmt::format("more than one PE layout for {}: the entries in lines {} and {} fit equally well",
                    to_string(query), second->line, best->line),
        file.path);
  PesEntry result = *best;
  for (const PesEntry& entry : file.overrides)
    if (located_score(file, entry, query, patterns).value_or(0) > 0) lay_on_top(result, entry);
  return result;
}

}  // namespace plimsoll::pelayout
