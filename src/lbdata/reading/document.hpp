#pragma once

#include <cstring>
#include <functional>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/lbdata/statistics_file.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Parsed entity. Views in `value` refer to the other members.
struct EntityRecord {
  Entity value;
  std::string type;  ///< text of the type unless it is "object"
  std::vector<std::int64_t> index;
  std::uint64_t byte = 0;  ///< start of its object
  /// Index of this entity in a sink that interns entities. A parser delivers a repeated entity as the same
  /// record, so that the sink does not have to look it up again.
  mutable EntityIndex interned = not_interned;

  /// Last phase in which a sink that collects references found this entity.
  mutable std::uint64_t referenced_in = 0;

  static constexpr EntityIndex not_interned = 0xffffffffU;

  void clear() {
    value = Entity{};
    index.clear();
    interned = not_interned;
    referenced_in = 0;
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
};

/// Members of one phase or of one of its lb_iterations, except tasks and communications.
struct PhaseHeader {
  std::int64_t id = 0;
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
  /// Receives an entity of the current record before the rest of it. A sink can prefetch the memory for the
  /// look-up, which hides most of its latency.
  virtual void coming(const EntityRecord& /*entity*/) {}
  virtual void begin_phase(RecordPlace /*place*/) {}
  virtual void begin_iteration(RecordPlace /*place*/) {}
  /// Receives the ID of the current phase or iteration, as soon as it has been read.
  virtual void id(std::int64_t /*id*/) {}
  virtual void task(const TaskRecord& /*task*/, RecordPlace /*place*/) {}
  virtual void communication(const CommunicationRecord& /*edge*/, RecordPlace /*place*/) {}
  virtual void end_iteration(PhaseHeader&& /*header*/) {}
  /// Ends the phase. `complete`: whether the phase and all its records could be read.
  virtual void end_phase(PhaseHeader&& /*header*/, bool /*complete*/) {}
  virtual void statistics(StatisticsRecord&& /*record*/) {}
};

/// Receiver of a parser's findings; it may throw to stop the parser. Findings with `readable` set cause no
/// loss of data when the document is read, for example an integer where the schema requires a fraction.
using FindingSink = std::function<void(Diagnostic&& finding, bool readable)>;

/// Cache of recently parsed entities by their text. Ends of communications repeat the same entities;
/// recognising the text costs a third of parsing it.
class EntityCache {
 public:
  static constexpr std::size_t max_text = 160;

  struct Slot {
    EntityRecord record;
    std::size_t length = 0;  ///< length of the text of `record`, 0 for none
    char text[max_text];

    bool holds(std::string_view other) const {
      return length != 0 && length == other.size() && std::memcmp(text, other.data(), length) == 0;
    }
    void remember(std::string_view new_text) {
      length = new_text.size();
      new_text.copy(text, length);
    }
    void forget() { length = 0; }
  };

  /// Returns the slot of the entity with this text, or the slot to store it in.
  Slot& slot(std::string_view text) {
    if (++lookups_ > 4 * slots_.size() && slots_.size() < max_slots) grow();
    return slots_[support::hash_bytes(text) % slots_.size()];
  }

 private:
  static constexpr std::size_t max_slots = 1024;

  /// Grows the cache, which starts small for small files. Dropped entities are soon parsed again.
  void grow() {
    const std::size_t size = slots_.empty() ? 16 : 4 * slots_.size();
    slots_.clear();
    slots_.resize(size);
  }

  std::vector<Slot> slots_;
  std::size_t lookups_ = 0;
};

}  // namespace plimsoll::lbdata
