#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/lbdata/metadata.hpp>
#include <plimsoll/support/diagnostic.hpp>

namespace plimsoll::inline v0_1::lbdata {

/// An entity as parsed. Views in `value` refer to the rest.
struct EntityRecord {
  Entity value;
  std::string type;  ///< text of an unusual type
  std::vector<std::int64_t> index;
  std::uint64_t byte = 0;  ///< where its object begins
  /// For a sink that interns entities: the index it gave to this one. A parser delivers an entity that it
  /// has met before as the same record, so that the sink need not look it up again.
  mutable EntityIndex interned = not_interned;

  /// For a sink that collects references: the last of its phases in which it met this entity.
  mutable std::uint64_t referenced_in = 0;

  static constexpr EntityIndex not_interned = 0xffffffffU;

  void clear() {
    value = Entity{};
    index.clear();
    interned = not_interned;
    referenced_in = 0;
  }
};

/// A task as parsed; reused from record to record.
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
  std::string user_defined;  ///< original JSON text, if there
  std::string attributes;    ///< original JSON text, if there
  std::uint64_t node_byte = 0;
  std::uint64_t time_byte = 0;

  void clear() {
    has_subphases = has_user_defined = has_attributes = false;
    subphase_id.clear();
    subphase_time_s.clear();
  }
};

/// An edge as parsed; reused from record to record.
struct CommunicationRecord {
  const EntityRecord* from = nullptr;
  const EntityRecord* to = nullptr;
  double bytes = 0;
  std::int64_t messages = 0;
  std::string type;
  std::uint64_t type_byte = 0;
  std::uint64_t bytes_byte = 0;
  std::uint64_t messages_byte = 0;
};

/// What remains of a phase, or of one of its lb_iterations, besides its tasks and communications.
struct PhaseHeader {
  std::int64_t id = 0;
  std::uint64_t id_byte = 0;
  bool has_communications = false;
  bool has_lb_iterations = false;
  std::optional<std::string> user_defined;
};

/// Where a record stands: its position in its array, and the byte where it begins.
struct RecordPlace {
  std::size_t position = 0;
  std::uint64_t byte = 0;
};

/// Receives the records of a document in the order in which they stand there, which need not be the
/// canonical one: a phase's id may follow its tasks, metadata may follow the phases. Records with
/// findings that leave them incomplete are not delivered; their position is skipped.
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  virtual void metadata(RankMetadata&& /*metadata*/) {}
  /// What the document has said of itself when its `metadata` or its `type` ends, for a sink that needs it
  /// even if the rest cannot be read.
  virtual void metadata_so_far(const RankMetadata& /*metadata*/) {}
  /// An entity of the record being read, before the rest of it: a sink that will look it up can have the
  /// memory fetched meanwhile, which hides most of what the look-up costs.
  virtual void coming(const EntityRecord& /*entity*/) {}
  virtual void begin_phase(RecordPlace /*place*/) {}
  virtual void begin_iteration(RecordPlace /*place*/) {}
  /// The id of the phase or iteration that has begun, as soon as it has been read.
  virtual void id(std::int64_t /*id*/) {}
  virtual void task(const TaskRecord& /*task*/, RecordPlace /*place*/) {}
  virtual void communication(const CommunicationRecord& /*edge*/, RecordPlace /*place*/) {}
  virtual void end_iteration(PhaseHeader&& /*header*/) {}
  /// `complete` if the phase and all its records could be read.
  virtual void end_phase(PhaseHeader&& /*header*/, bool /*complete*/) {}
};

/// Receives what a parser finds wrong; may throw to stop it. `readable` findings lose nothing when the
/// document is read (an integer where the schema wants a fraction).
class FindingSink {
 public:
  virtual ~FindingSink() = default;
  virtual void add(Diagnostic&& finding, bool readable) = 0;
};

}  // namespace plimsoll::lbdata
