#pragma once

#include <plimsoll/lbdata/writer.hpp>
#include <plimsoll/support/json_text.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Constant parts of the JSON text of all entities of a family. A piece before an absent member is empty.
struct FamilyTexts {
  std::string before_home;    ///< {"collection_id":7,"home":
  std::string before_id;      ///< ,"id":
  std::string before_index;   ///< ,"index":[
  std::string before_seq_id;  ///< ],"migratable":true,"seq_id":
  std::string tail;           ///< for example ],"migratable":true,"type":"object"}
  std::size_t room = 0;       ///< upper bound for an entity's text without index and tail
};

/// Recurring parts of records as JSON text, built once per table entry.
class RecordTexts {
 public:
  explicit RecordTexts(const RecordTables& tables) : tables_(tables) { update(); }

  /// Processes new table entries, if any.
  void update();

  const EntityTable& entities() const { return tables_.entities; }
  const FamilyTexts& family(EntityIndex entity) const {
    return families_[tables_.entities.family_number(entity)];
  }
  const std::string& resource(std::uint8_t number) const { return resources_[number]; }
  const std::string& category(std::uint8_t number) const { return categories_[number]; }

 private:
  RecordTables tables_;
  std::vector<FamilyTexts> families_;
  std::vector<std::string> resources_;   // ,"resource":"cpu"
  std::vector<std::string> categories_;  // ,"type":"SendRecv"}
};

/// Converts records to JSON text, with members in alphabetical order. Part of the text may remain in the
/// buffer until it is flushed.
class RecordEmitter {
 public:
  /// Requires that both arguments outlive the emitter.
  RecordEmitter(const RecordTexts& texts, support::TextBuffer& buffer) : texts_(texts), buffer_(buffer) {}

  void emit(const PhaseRecord& phase);

 private:
  void emit_work(const WorkRecord& record, const std::vector<WorkRecord>* iterations);
  void emit_tasks(const Tasks& tasks);
  void emit_subphases(const Tasks& tasks, std::size_t task);
  void emit_communications(const Communications& communications);
  void emit_entity(EntityIndex entity);
  void emit_index(const IndexTuple& index);

  const RecordTexts& texts_;
  support::TextBuffer& buffer_;
};

}  // namespace plimsoll::lbdata
