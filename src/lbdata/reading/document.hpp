#pragma once

#include <functional>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/lbdata/statistics_file.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Parsed entity. Views in `value` refer to the other members.
struct EntityRecord {
  Entity value;
  std::string type;  ///< text of the type unless it is "object"
  std::vector<std::int64_t> index;
  std::uint64_t byte = 0;  ///< start of its object
  /// Family of this entity in a table that has added it. Kept when the record is reused for another entity of
  /// the same shape, so that the table does not have to find the family again.
  mutable std::uint32_t family = unknown_family;
  /// Position among all entities that EntityNumbering has received, from 1; 0 before it has received this
  /// one. Kept while records repeat the text of this entity.
  mutable std::uint64_t place = 0;
  /// Whether the record remains as it is, so that `number` applies to it for ever.
  bool is_kept = false;
  /// Number of a kept entity in a table that has added it.
  mutable std::optional<EntityIndex> number;

  static constexpr std::uint32_t unknown_family = 0xffffffffU;

  void clear() {
    value = Entity{};
    index.clear();
    family = unknown_family;
    place = 0;
    is_kept = false;
    number.reset();
  }

  void assign(const EntityRecord& other) {
    value = other.value;
    type = other.type;
    index = other.index;
    byte = other.byte;
    family = unknown_family;
    place = 0;
    is_kept = false;
    number.reset();
    if (value.type.data() == other.type.data()) value.type = type;
    if (value.index) value.index = index;
  }
};

/// Parsed task; reused from record to record.
struct TaskRecord {
  const EntityRecord* entity = nullptr;
  std::int32_t node = 0;
  double time_s = 0;
  std::string resource;
  bool has_subphases = false;
  std::vector<std::int32_t> subphase_id;
  std::vector<double> subphase_time_s;
  bool has_user_defined = false;
  bool has_attributes = false;
  std::string user_defined;  ///< original JSON text, if present
  std::string attributes;    ///< original JSON text, if present
  std::uint64_t node_byte = 0;
  std::uint64_t time_byte = 0;

  void assign(const TaskRecord& other) { *this = other; }
  /// Returns whether this is a placeholder without load, which readers omit.
  bool is_placeholder() const { return time_s == 0 && lbdata::is_placeholder(entity->value); }
  void clear() {
    has_subphases = has_user_defined = has_attributes = false;
    subphase_id.clear();
    subphase_time_s.clear();
  }
};

/// Parsed edge; reused from record to record.
struct CommunicationRecord {
  const EntityRecord* from = nullptr;
  const EntityRecord* to = nullptr;
  double bytes = 0;
  std::int64_t messages = 0;
  std::string type;
  std::uint64_t type_byte = 0;
  std::uint64_t bytes_byte = 0;
  std::uint64_t messages_byte = 0;

  void assign(const CommunicationRecord& other) { *this = other; }
};

/// Members of one phase or of one of its lb_iterations, except tasks and communications.
struct PhaseHeader {
  std::int64_t id = 0;
  bool has_id = false;  ///< whether the text contains a valid ID
  std::uint64_t id_byte = 0;
  bool has_communications = false;
  bool has_lb_iterations = false;
  std::optional<std::string> user_defined;
};

/// Position of a record in its array, and its first byte.
struct RecordPlace {
  std::size_t position = 0;
  std::uint64_t byte = 0;
};

/// Receiver of a document's records in the order of the text. This order may differ from the canonical one: a
/// phase's ID may follow its tasks, and metadata may follow the phases. Records that are incomplete because
/// of findings are not delivered; their position is skipped.
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  virtual void metadata(RankMetadata&& /*metadata*/) {}
  /// Receives the metadata known so far when the document's `metadata` or `type` ends, for sinks that need
  /// them even if the rest cannot be read.
  virtual void metadata_so_far(const RankMetadata& /*metadata*/) {}
  /// Receives the entity of the current task before the rest of it. A sink can prefetch the memory for a
  /// look-up, which hides most of its latency.
  virtual void coming(const EntityRecord& /*entity*/) {}
  virtual void begin_phase(RecordPlace /*place*/) {}
  virtual void begin_iteration(RecordPlace /*place*/) {}
  /// Receives the ID of the current phase or iteration, as soon as it has been read.
  virtual void id(std::int64_t /*id*/) {}
  virtual void task(const TaskRecord& /*task*/, RecordPlace /*place*/) {}
  virtual void communication(const CommunicationRecord& /*edge*/, RecordPlace /*place*/) {}
  /// Receives the entity of each task, in the order of the tasks, but possibly after later records of the
  /// same phase or iteration. Only from EntityNumbering.
  virtual void task_entity(EntityIndex /*entity*/) {}
  /// Receives both ends of each edge likewise.
  virtual void edge_ends(EntityIndex /*from*/, EntityIndex /*to*/) {}
  virtual void end_iteration(PhaseHeader&& /*header*/) {}
  /// Ends the phase. `complete`: whether the phase and all its records could be read.
  virtual void end_phase(PhaseHeader&& /*header*/, bool /*complete*/) {}
  virtual void statistics(StatisticsRecord&& /*record*/) {}
};

/// Receiver of a parser's findings; it may throw to stop the parser. Findings with `readable` set cause no
/// loss of data when the document is read, for example an integer where the schema requires a fraction.
using FindingSink = std::function<void(Diagnostic&& finding, bool readable)>;

}  // namespace plimsoll::lbdata
