#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/validator.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

// Functions that select and check files by the rules of vt's JSON_data_files_validator.py, for its drop-in
// replacement, plimsoll-validator. Other programs should call validate().

/// Verdict of vt's validator on a file.
enum class VtVerdict {
  valid,
  invalid,       ///< violates the schema of its type
  missing_type,  ///< contains no type where vt's validator looks for it, so vt's validator skips the schema
  unsupported_type,  ///< contains a type other than LBDatafile and LBStatsfile
  unreadable,        ///< is not JSON, or exceeds a limit
};

/// Result of check_schema_as_vt().
struct VtSchemaCheck {
  VtVerdict verdict = VtVerdict::valid;
  std::string type;                  ///< type that vt's validator finds; may be empty
  std::vector<Diagnostic> findings;  ///< violations, up to ten; for a missing type, those of an LBDatafile
};

/// Checks a file against the schema of its type. vt's validator finds the type in `metadata`, and at the top
/// level only if the file has no `metadata`. Throws Error (system) if the file cannot be read.
VtSchemaCheck check_schema_as_vt(const std::string& path);

/// Result of check_links_as_vt().
struct VtLinkCheck {
  std::vector<std::string> files;     ///< files of the data set; empty if the check belongs to another file
  std::vector<MissingTasks> missing;  ///< tasks that edges refer to, but no file contains
  std::vector<Diagnostic> errors;     ///< errors because of which missing tasks cannot be determined
  bool is_readable = true;            ///< whether all files are JSON within the limits
};

/// Checks that the data set of a file contains the tasks to which its edges refer. The file of the lowest
/// rank stands for all files of its data set. The rank is in its name `BASE.<rank>.json`, or else the last
/// number there. A file without a number is a separate data set. Throws Error (system) if a file cannot be
/// read, and Error (bad_input) like expect_unchanged().
VtLinkCheck check_links_as_vt(const std::string& path);

/// Files of a directory that vt's validator checks.
struct VtSelection {
  std::string prefix;              ///< part of the names before the first dot; empty: any
  std::string suffix;              ///< part of the names after the last dot; empty: any
  std::vector<std::string> files;  ///< paths, by rank and name
  std::size_t n_entries = 0;       ///< number of entries of the directory
  std::size_t n_other_files = 0;   ///< number of files that the most common prefix and suffix exclude
};

/// Selects files by the prefix and the suffix of their names. If both are empty, uses the most common prefix
/// and the most common suffix of the JSON files (`.json` or `.json.br`), or of all files if none has such a
/// name. Throws Error (system) if the directory cannot be read.
VtSelection select_as_vt(const std::string& folder, const std::string& prefix, const std::string& suffix);

}  // namespace plimsoll::lbdata
