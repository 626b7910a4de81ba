#pragma once

#include <string>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/lbdata/writer.hpp>

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

}  // namespace plimsoll::lbdata
