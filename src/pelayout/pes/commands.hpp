#pragma once

#include <set>

#include <plimsoll/pelayout/submission.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Counts of a component, by the first part of their names in CIME (NTASKS_ATM), in CIME's order.
inline constexpr support::Named<std::optional<std::int64_t> ComponentPes::*> pes_counts[] = {
    {"NTASKS", &ComponentPes::tasks},
    {"NTHRDS", &ComponentPes::threads},
    {"ROOTPE", &ComponentPes::root},
    {"PSTRID", &ComponentPes::stride},
    {"EXCL_STRIDE", &ComponentPes::exclusive_stride}};

/// Values of the names in a template, which contains them as {NAME}.
using TemplateValues = std::map<std::string, std::string>;

/// Splits `line` into words, which are separated by spaces. '...' and "..." quote spaces; \ quotes the next
/// character, except within '...'. Throws Error (usage) if a quotation is not closed or the line has no
/// words.
std::vector<std::string> split_words(std::string_view line);

/// Replaces {NAME} in words; a value never becomes several words. Throws Error (usage) for a missing }, and
/// Error (bad_input) for a name without a value; `owner` describes the source of the values.
std::vector<std::string> fill_in(const std::vector<std::string>& words, const TemplateValues& values,
                                 const std::string& owner);

/// Explains why CIME would interpret the value of a variable. CIME runs `$SHELL{...}` in a shell, and
/// replaces `$ENV{...}` and similar by text that is not in the file. Empty if CIME would not interpret it.
/// References to other variables of CIME, `$NAME` and `${NAME}`, are safe values.
std::string why_unsafe_for_cime(std::string_view name, std::string_view value);

/// Explains why a program could mistake a word of a command for an option that the template does not contain.
/// This happens if the word begins with a value that begins with a dash and is not a number. Empty for all
/// other words. `word` is a word of the template.
std::string why_unsafe_as_argument(const std::string& word, const TemplateValues& values);

using Setting = std::pair<std::string, std::string>;
using Settings = std::vector<Setting>;

/// A case with a build that other cases may use.
struct SharedBuild {
  std::string folder;            ///< directory of the case
  std::string settings;          ///< settings that affect the build
  std::set<std::string> counts;  ///< names of the other settings, which affect only the run
};
using SharedBuilds = std::vector<SharedBuild>;

/// Adds CIME's commands to the plan of a case, and its settings. `entry` contains the values of the PE file
/// in the order in which CIME receives them. The case uses one of the builds if possible; otherwise it is
/// added to them.
void add_cime_commands(CasePlan& plan, const Settings& entry, const SubmissionOptions& options,
                       SharedBuilds& builds);

/// Matches names against the regular expressions of a PE file. Searches each pair only once.
class NamePatterns {
 public:
  /// Returns whether an expression is found in the long name of a grid, machine or compset. The time is
  /// proportional to the product of their lengths, for every expression. Throws Error (bad_input), without a
  /// file, for an expression that
  /// - is invalid or longer than 500 characters,
  /// - uses constructs that would take longer: repetition counts, lookahead, backreferences,
  /// - would increase the time of all searches beyond about a second.
  bool is_found(const std::string& pattern, const std::string& name);

  /// Returns the sum over all searches so far of the expression's length times the name's length, in
  /// characters.
  std::uint64_t work() const { return work_; }

 private:
  std::map<std::pair<std::string, std::string>, bool> found_;
  std::uint64_t work_ = 0;
};

/// Returns the entries that match the grid, machine and compset of a run, for any of its sizes, in the order
/// of the file. Throws Error as select_pes() does for expressions that cannot be searched.
std::vector<const PesEntry*> entries_for(const PesFile& file, const PesQuery& run, NamePatterns& patterns);

/// Works like select_pes(), but searches for the file's expressions only once for several sizes.
PesEntry select_pes(const PesFile& file, const PesQuery& query, NamePatterns& patterns);

}  // namespace plimsoll::pelayout
