#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/lbdata/file_set.hpp>
#include <plimsoll/lbdata/schema_version.hpp>
#include <plimsoll/support/diagnostic.hpp>
#include <plimsoll/support/progress.hpp>
#include <plimsoll/support/text_source.hpp>

namespace plimsoll::inline v0_1::lbdata {

/// A named check beyond syntax and schema.
struct CheckDescription {
  std::string_view name;  ///< as in Diagnostic::check, such as "task-node"
  Severity severity;      ///< of its findings
  std::string_view help;  ///< the rule that it checks, one line
};

/// All checks beyond the schema, in the order in which help shows them.
const std::vector<CheckDescription>& checks();

/// What validate() checks, and when it stops.
struct ValidateOptions {
  SchemaVersion schema = SchemaVersion::current;
  /// Names of the checks beyond the schema to make; all of checks() by default, none for the schema alone.
  std::vector<std::string> checks = all_checks();
  /// Findings (1 or more) to report at most; errors take the place of warnings. A file is left once it has
  /// that many errors.
  std::size_t max_errors = 100;
  unsigned threads = 0;        ///< 0: as many as the hardware has
  support::SizeLimits limits;  ///< of each file
  support::Progress* progress = &support::Progress::none();

  static std::vector<std::string> all_checks();
};

/// What validate() found, and how much it read.
struct ValidationReport {
  std::vector<Diagnostic> findings;  ///< by file, then by place in it; then those that concern several files
  bool cut_off = false;              ///< there was more than max_errors
  std::size_t files = 0;
  std::uint64_t phases = 0;  ///< records of phases, summed over files
  std::uint64_t tasks = 0;
  std::uint64_t communications = 0;

  std::size_t count(Severity severity) const;
  bool valid() const { return count(Severity::error) == 0; }
};

/// Checks files against the documented schema, and, beyond it, whether they make sense together: whatever
/// is wrong becomes a finding. An LBStatsfile is checked against its own schema. Files in parallel; the
/// report does not depend on the number of threads. Memory: 8 to 20 bytes a task and 25 an edge that leaves
/// its file.
///
/// Throws Error: system if a file cannot be read, usage if a check's name is unknown.
ValidationReport validate(const std::vector<RankFile>& files, const ValidateOptions& options = {});

/// Checks one document in memory by itself; `name` is for messages. Its rank is what it says.
ValidationReport validate_text(std::string_view content, const std::string& name,
                               const ValidateOptions& options = {});

}  // namespace plimsoll::lbdata
