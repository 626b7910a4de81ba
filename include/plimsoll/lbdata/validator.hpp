#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/records.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/parse.hpp>
#include <plimsoll/support/progress.hpp>
#include <plimsoll/support/text_source.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Version of the documented LBDatafile schema.
enum class SchemaVersion {
  page_2023,  ///< older page: `id` mandatory; no `seq_id`, `lb_iterations`, `rank_alpha`
  current,    ///< newer page and `rank_alpha`
};

/// Names of the versions, as in `plimsoll validate --schema`.
inline constexpr support::Named<SchemaVersion> schema_versions[] = {{"2023", SchemaVersion::page_2023},
                                                                    {"current", SchemaVersion::current}};

/// Kinds of messages in a data set. They show whether a program recorded its messages in the way that
/// strategies need.
struct MessageKinds {
  std::uint64_t between_objects = 0;  ///< edges between two different objects, without rank objects
  bool within_ranks = false;     ///< whether both objects of such an edge are on the rank that recorded it
  bool several_objects = false;  ///< whether a rank had several migratable objects in one phase
  double bytes = 0;              ///< bytes of all edges between objects and ranks, except broadcasts of ranks
  double rank_bytes = 0;         ///< part of `bytes` on edges with a rank or a rank object as an end

  void merge(const MessageKinds& other);
};

/// Returns the kinds of messages in all phases. Expected O(tasks + edges).
MessageKinds message_kinds(const Dataset& dataset);

/// Returns whether an object represents a rank: its number is a bare handler of its home.
bool is_rank_object(std::uint64_t number, std::int64_t home, bool migratable);

/// Returns whether edges of a category are parts of broadcasts: categories 4 to 7. A main program or a rank
/// takes part in these as itself, not in place of an object.
bool is_broadcast(CommCategory category);

/// Returns warnings, with the names of their checks, about messages that are missing within ranks, and about
/// ranks as ends where objects are meant. `rank_count` is the number of ranks of the data set.
std::vector<Diagnostic> message_warnings(const MessageKinds& kinds, std::size_t rank_count);

/// Named check beyond syntax and schema.
struct CheckDescription {
  std::string_view name;  ///< name as in Diagnostic::check, such as "task-node"
  Severity severity;      ///< severity of its findings
  std::string_view help;  ///< rule that is checked, one line
};

/// Returns all checks beyond the schema, in the order of the help text.
const std::vector<CheckDescription>& checks();

/// Options of validate().
struct ValidateOptions {
  SchemaVersion schema = SchemaVersion::current;
  /// Names of the checks beyond the schema. Default: all of checks(). Empty: only the schema.
  std::vector<std::string> checks = all_checks();
  /// Maximum number of reported findings (>= 1); errors replace warnings. Checking a file stops once it has
  /// that many errors.
  std::size_t max_errors = 100;
  /// Requirement for the files. If they need not be a complete data set, missing ranks are not reported.
  RankCheck ranks = RankCheck::any;
  /// Number of ranks of a complete data set; 0: as the metadata of its files specify.
  std::size_t expected_ranks = 0;
  unsigned threads = 0;        ///< number of threads; 0: one per processor
  support::SizeLimits limits;  ///< limits for each file
  support::Progress* progress = &support::Progress::none();

  static std::vector<std::string> all_checks();
};

/// Tasks to which edges of one phase refer, and which no checked file contains.
struct MissingTasks {
  std::int64_t phase = 0;
  std::optional<std::int64_t> iteration;  ///< iteration of the phase to which the edges belong, if any
  std::vector<std::uint64_t> numbers;     ///< `id`, else `seq_id` of each task, ascending
};

/// Findings of validate(), and the amount of checked data.
struct ValidationReport {
  std::vector<Diagnostic> findings;  ///< findings by file and position, then findings across files
  bool cut_off = false;              ///< whether more than max_errors findings exist
  /// Missing tasks by phase, if "dangling-reference" is checked and all files could be read to their ends.
  /// Other files of the data set may contain them, if a note among the findings mentions these.
  std::vector<MissingTasks> missing_tasks;
  std::size_t files = 0;
  std::uint64_t phases = 0;  ///< number of phase records, summed over files
  std::uint64_t tasks = 0;
  std::uint64_t communications = 0;
  /// Command that keeps the complete phases of truncated and damaged files; empty if no file needs it.
  std::string repair_command;

  std::size_t count(Severity severity) const;
  bool valid() const { return count(Severity::error) == 0; }
};

/// Checks files against the documented schema, and also checks that their data are consistent. Reports every
/// error as a finding. An LBStatsfile is checked against its own schema. Files are checked in parallel; the
/// report does not depend on the number of threads. If the files are only a part of a data set, references to
/// its other files are not checked, and the report ends with a note. Memory: 8 to 20 bytes per task and 25
/// bytes per edge between files.
///
/// Throws Error (system) if a file cannot be read. Throws Error (usage) for an unknown check.
ValidationReport validate(const std::vector<RankFile>& files, const ValidateOptions& options = {});

/// Checks one document in memory. `name` is only used in messages; the rank is the one that the document
/// specifies.
ValidationReport validate_text(std::string_view content, const std::string& name,
                               const ValidateOptions& options = {});

}  // namespace plimsoll::lbdata
