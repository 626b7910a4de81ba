#pragma once

#include <set>

#include <plimsoll/lbdata/validator.hpp>
#include <plimsoll/support/json_view.hpp>

#include "lbdata/json/json_position.hpp"
#include "lbdata/reading/document.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Checks beyond the schema. The enumerators are indices into checks().
enum class Check : std::uint8_t {
  type,
  range,
  finite,
  negative_value,
  duplicate_phase,
  duplicate_task,
  complete_set,
  dangling_reference,
  unknown_communication_type,
  task_node,
  metadata,
  memory_value,
  local_messages,
  object_messages,
};

class CheckSet {
 public:
  /// Throws Error (usage) for an unknown name.
  explicit CheckSet(const std::vector<std::string>& names);
  bool has(Check check) const { return (bits_ & (1U << static_cast<unsigned>(check))) != 0; }
  /// Returns whether findings of this check are requested; syntax and schema always are.
  bool wants(std::string_view check_name) const;

 private:
  std::uint32_t bits_ = 0;
};

/// Returns a finding of a check, with its name and severity filled in.
Diagnostic finding(Check check, std::string what, std::string suggestion = {});

class NumberSet {
 public:
  bool insert(std::uint64_t number);
  void prefetch(std::uint64_t number) const { hash_.prefetch(support::mix_bits(number)); }
  bool contains(std::uint64_t number) const;
  std::size_t size() const { return numbers_.size(); }
  std::vector<std::uint64_t> take() {
    hash_.clear();
    return std::exchange(numbers_, {});
  }

 private:
  std::vector<std::uint64_t> numbers_;
  support::PositionHash hash_;
};

/// Number of a phase and, if the work belongs to one, of its iteration.
using WorkId = std::pair<std::int64_t, std::optional<std::int64_t>>;

/// Entities that communications may refer to by number.
struct References {
  std::vector<std::uint64_t> objects;
  std::vector<std::uint64_t> nodes;
};

/// Data of one phase (or one of its iterations) of one file that must be checked against the other files.
struct PhaseReferences {
  std::int64_t phase = 0;
  std::optional<std::int64_t> iteration;
  std::string pointer;                    ///< JSON pointer of the phase or iteration
  std::vector<std::uint64_t> migratable;  ///< numbers of its migratable tasks
  std::vector<std::uint64_t> not_migratable;
  References open;  ///< references unresolved in this file, ascending, distinct
};

/// Data of one file that must be checked against the other files.
struct FileReferences {
  RankMetadata metadata;
  MessageKinds messages;
  std::vector<PhaseReferences> phases;
  std::int64_t highest_rank = -1;  ///< highest rank to which an edge refers: a node or the home of an object
  std::uint64_t phase_count = 0;
  std::uint64_t task_count = 0;
  std::uint64_t communication_count = 0;
};

/// Performs the checks of one file beyond the schema, record by record, and collects the data for checks
/// across files. EntityNumbering must add the entities of the records to `entities`.
class RecordChecker : public RecordSink {
 public:
  /// Starts a check; `rank` is the rank in the file's name, if any.
  RecordChecker(const CheckSet& checks, std::optional<std::int64_t> rank, std::string file,
                const EntityTable& entities, FindingSink findings);

  void metadata(RankMetadata&& metadata) override;
  void coming(const EntityRecord& entity) override;
  void begin_phase(RecordPlace place) override;
  void begin_iteration(RecordPlace place) override;
  void task(const TaskRecord& task, RecordPlace place) override;
  void communication(const CommunicationRecord& edge, RecordPlace place) override;
  void edge_ends(EntityIndex from, EntityIndex to) override;
  void end_iteration(PhaseHeader&& header) override;
  void end_phase(PhaseHeader&& header, bool complete) override;

  FileReferences take() { return std::move(file_references_); }

 private:
  struct Work {
    std::string pointer;
    std::uint32_t number = 0;  ///< number of this phase or iteration in the file, from 1
    NumberSet migratable;
    NumberSet not_migratable;
    References references;  ///< references, possibly with duplicates
    /// Ends of the edges between objects, until both ends of an edge are found on one rank.
    std::vector<std::pair<EntityIndex, EntityIndex>> pairs;

    bool contains(std::uint64_t object) const {
      return migratable.contains(object) || not_migratable.contains(object);
    }
  };

  Work new_work(std::string pointer);
  void refer(EntityIndex entity);
  bool checks_messages() const;
  /// Counts an edge. Returns whether it is between different objects.
  bool count_message(const CommunicationRecord& edge);
  void count_messages_within_rank(Work& work);
  void finish(Work& work, std::int64_t phase, std::optional<std::int64_t> iteration);
  void check_memory(const TaskRecord& task, RecordPlace place);
  void add(Check check, std::string what, std::string pointer, std::uint64_t byte,
           std::string suggestion = {});
  std::string record_pointer(const char* array, std::size_t position) const;

  const CheckSet& checks_;
  std::optional<std::int64_t> rank_;
  std::string file_;
  const EntityTable& entities_;
  FindingSink findings_;
  FileReferences file_references_;
  support::JsonParser user_defined_parser_{""};
  std::set<std::int64_t> phase_ids_;
  std::set<std::int64_t> iteration_ids_;  ///< iterations of the current phase
  std::uint32_t works_ = 0;
  std::vector<std::uint32_t>
      referenced_in_;  ///< number of the last phase or iteration that refers to an entity
  /// Results of count_message() for the edges whose ends come next in edge_ends().
  std::vector<std::uint8_t> between_objects_;
  std::size_t next_edge_ = 0;
  std::string last_type_;  ///< type of the last edge; most edges have the same
  std::optional<CommCategory> last_category_;
  Work phase_;
  Work iteration_;
  Work* work_ = &phase_;
};

/// Returns contradictions between the metadata of a file, the rank in its name, and the IDs of its phases.
std::vector<Diagnostic> metadata_findings(const RankMetadata& metadata, std::optional<std::int64_t> rank,
                                          const std::set<std::int64_t>& phases);

/// Calls `add(member, what)` for each member of a task's `user_defined` that describes memory, if commands
/// that consider memory reject its value. `user_defined` is the text of a JSON object. If simdjson rejects
/// the text, e.g. because of NaN, `member` is empty.
void check_memory_members(std::string_view user_defined, support::JsonParser& parser,
                          const std::function<void(std::string_view member, std::string what)>& add);

/// Returns a note if the files have references that they do not resolve themselves, and are only a part of a
/// data set, whose other files may resolve them. The data set has more files if a rank is missing, if their
/// directory contains files of further ranks, or if a single file refers to another rank. `references`
/// contains the references of each file.
std::optional<Diagnostic> note_of_missing_files(const std::vector<RankFile>& files,
                                                const std::vector<FileReferences>& references);

/// References in one phase or iteration of a file that no file resolves.
struct DanglingReferences {
  WorkId id;
  std::string pointer;  ///< JSON pointer of the phase or iteration
  std::string what;     ///< description for users: "phase 3"
  References numbers;   ///< ascending numbers
};

/// Performs the checks across the files of a data set. Files are identified by their position in the set.
/// Passes findings about migratable tasks on two ranks to `add(file, finding)`. Returns the unresolved
/// references of each file (usually none). Cost: O(tasks + open references), with the tasks of one phase in
/// memory at a time.
std::vector<std::vector<DanglingReferences>> check_across_files(
    const CheckSet& checks, const std::vector<FileReferences>& files,
    const std::function<void(std::size_t, Diagnostic&&)>& add);

/// Returns a finding with its position for every dangling end of a communication, up to `most` findings.
/// Rereads the document, which is only necessary if it contains dangling references.
std::vector<Diagnostic> find_dangling(const OpenSource& open, SchemaVersion version,
                                      const std::vector<DanglingReferences>& dangling, std::size_t rank_count,
                                      std::size_t most);

}  // namespace plimsoll::lbdata
