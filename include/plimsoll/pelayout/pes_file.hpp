#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/support/diagnostic.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// What a PE file says of one component; nothing where it is silent.
struct ComponentPes {
  std::optional<std::int64_t> tasks;    ///< negative: that many nodes
  std::optional<std::int64_t> threads;  ///< of each task
  std::optional<std::int64_t> root;     ///< negative: that many nodes
  std::optional<std::int64_t> stride;   ///< pstrid
  friend bool operator==(const ComponentPes&, const ComponentPes&) = default;
};

/// One `pes` element, with the `grid` and `mach` around it.
struct PesEntry {
  std::string grid = "any";                        ///< regular expressions, or "any"
  std::string machine = "any";                     ///< regular expression
  std::string compset = "any";                     ///< regular expression
  std::string pesize = "any";                      ///< a word, or "any"
  std::string comment;                             ///< for people; may be empty
  std::map<std::string, ComponentPes> components;  ///< by upper-case name
  std::map<std::string, std::string> variables;    ///< XML variables as xmlchange has them, that are none of
                                                   ///< the above: MAX_TASKS_PER_NODE, EXCL_STRIDE_ATM, ...
  std::uint64_t line = 0;
};

/// A PE file of CIME (config_pes.xml). Its grammar: CIME's config_pes.xsd, and what its reader takes beyond.
struct PesFile {
  std::string path;                  ///< for messages
  std::vector<PesEntry> entries;     ///< in the order of the file
  std::vector<PesEntry> overrides;   ///< laid on top of the entry that fits, see select_pes()
  std::vector<Diagnostic> warnings;  ///< what is odd about the file
};

/// Throws Error (bad_input), with file and line, for what is no PE file.
PesFile parse_pes_file(std::string_view xml, const std::string& file);
/// The same from a file. Throws Error also if it cannot be read.
PesFile read_pes_file(const std::string& path);

/// What is looked for in a PE file: long names, in which the file's expressions are searched.
struct PesQuery {
  std::string grid = "any";
  std::string machine = "any";
  std::string compset = "any";
  std::string pesize;  ///< one word; empty matches entries for any size only
};

/// The entry that fits best: a match counts grid 3, machine 7, compset 2, pesize 1 unless "any"; overrides
/// are laid on top. Throws Error (bad_input) if none fits, two fit best, or the expressions are too long to
/// be searched for within about a second.
PesEntry select_pes(const PesFile& file, const PesQuery& query);

/// Writes entries as a PE file, indented; nothing else is needed for it.
std::string to_xml(const std::vector<PesEntry>& entries);

}  // namespace plimsoll::pelayout
