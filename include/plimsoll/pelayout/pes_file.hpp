#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Settings of one component in a PE file; empty if not specified.
struct ComponentPes {
  std::optional<std::int64_t> tasks;    ///< task count; negative: number of nodes
  std::optional<std::int64_t> threads;  ///< threads per task
  std::optional<std::int64_t> root;     ///< first rank; negative: number of nodes
  std::optional<std::int64_t> stride;   ///< stride between ranks (`pstrid`)
  /// Stride of ranks that other components must not use (`excl_stride`), e.g. those that drive GPUs.
  std::optional<std::int64_t> exclusive_stride = {};
  friend bool operator==(const ComponentPes&, const ComponentPes&) = default;
};

/// One `pes` element, with the `grid` and `mach` elements around it.
struct PesEntry {
  std::string grid = "any";                        ///< regular expressions, or "any"
  std::string machine = "any";                     ///< regular expression
  std::string compset = "any";                     ///< regular expression
  std::string pesize = "any";                      ///< a word, or "any"
  std::string comment;                             ///< comment for readers; may be empty
  std::map<std::string, ComponentPes> components;  ///< settings by upper-case name
  std::map<std::string, std::string> variables;    ///< other XML variables, as in xmlchange
  std::uint64_t line = 0;
};

/// A PE file of CIME (config_pes.xml). Grammar: CIME's config_pes.xsd, plus extensions that CIME's reader
/// accepts.
struct PesFile {
  std::string path;                  ///< file path for messages
  std::vector<PesEntry> entries;     ///< entries in the order of the file
  std::vector<PesEntry> overrides;   ///< overrides that are merged into the matching entry; see select_pes()
  std::vector<Diagnostic> warnings;  ///< suspicious content of the file
};

/// Parses a PE file. Throws Error (bad_input), with file and line, for an invalid PE file.
PesFile parse_pes_file(std::string_view xml, const std::string& file);
/// Reads a PE file. Also throws Error if it cannot be read.
PesFile read_pes_file(const std::string& path);

/// A query for a PE file: long names in which the file's regular expressions must find a match.
struct PesQuery {
  std::string grid = "any";
  std::string machine = "any";
  std::string compset = "any";
  std::string pesize;  ///< one word; if empty, only entries for any size match
};

/// Selects the best matching entry. A matching grid scores 3, machine 7, compset 2 and pesize 1; "any" scores
/// nothing. Overrides are merged into the result. Throws Error (bad_input) if no entry matches, two entries
/// tie for the best score, or the expressions are too long to be searched within about a second.
PesEntry select_pes(const PesFile& file, const PesQuery& query);

/// Formats entries as a complete PE file, indented.
std::string to_xml(const std::vector<PesEntry>& entries);

/// Makes the PE entry of a solution. Components that are not in the layout are placed as usual: CPL with ATM,
/// ROF with LND, and other components with data on the ranks of ATM. They get no more tasks than were
/// measured and, if tasks are counted, no more threads than the layout's components. Components without data
/// or with zero cost (stubs) get one task at root 0. If the layout contains none of CIME's components, no
/// other components are added. If the solution's nodes are known, the entry sets MAX_MPITASKS_PER_NODE and
/// MAX_TASKS_PER_NODE.
PesEntry to_pes(const Problem& problem, const Solution& solution, const std::string& pesize = "any");

/// Lists the components of the data that have a non-zero cost but are not in the layout. to_pes() places
/// them; the layout's time does not include them.
std::vector<std::string> left_out(const Problem& problem, const Solution& solution);

/// Replaces numbers of nodes by numbers of tasks: negative task counts and roots are multiplied by the
/// variable MAX_MPITASKS_PER_NODE of the entry, as CIME does. Throws Error (bad_input), with the line of the
/// entry in `file`, if an entry with negative counts lacks this variable, or if a count becomes too large.
PesEntry in_tasks(PesEntry entry, const std::string& file = {});

/// Replaces task counts and roots that are whole numbers of nodes by negative numbers of nodes. Other counts
/// and root 0 are unchanged. Throws Error as in_tasks() does.
PesEntry in_nodes(PesEntry entry, const std::string& file = {});

}  // namespace plimsoll::pelayout
