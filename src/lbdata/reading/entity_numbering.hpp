#pragma once

#include <array>

#include "lbdata/model/entity_key.hpp"
#include "lbdata/reading/document.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Adds the entities of a document to a table, and passes the records on. Entities wait until several of them
/// can be added at once: this overlaps the cache misses of their look-ups, so that edges between random
/// objects take hardly longer than edges between neighbours.
class EntityNumbering : public RecordSink {
 public:
  EntityNumbering(EntityTable& table, RecordSink& next) : table_(table), next_(next) {}

  void metadata(RankMetadata&& metadata) override { next_.metadata(std::move(metadata)); }
  void metadata_so_far(const RankMetadata& metadata) override { next_.metadata_so_far(metadata); }
  void coming(const EntityRecord& entity) override { next_.coming(entity); }
  void begin_phase(RecordPlace place) override { next_.begin_phase(place); }
  void begin_iteration(RecordPlace place) override {
    number_waiting();
    next_.begin_iteration(place);
  }
  void id(std::int64_t id) override { next_.id(id); }
  void task(const TaskRecord& task, RecordPlace place) override;
  void communication(const CommunicationRecord& edge, RecordPlace place) override;
  void end_iteration(PhaseHeader&& header) override {
    number_waiting();
    next_.end_iteration(std::move(header));
  }
  void end_phase(PhaseHeader&& header, bool complete) override {
    number_waiting();
    next_.end_phase(std::move(header), complete);
  }
  void statistics(StatisticsRecord&& record) override { next_.statistics(std::move(record)); }

 private:
  /// Entity of a task, or one end of an edge: both ends are neighbours in the queue.
  struct Waiting {
    EntityTable::Key key;
    std::uint64_t hash = 0;
    std::uint32_t candidate = 0;         ///< row of the table to compare first
    bool is_numbered = false;            ///< whether `index` is already known
    bool has_key = false;                ///< whether `key` is known
    const EntityRecord* kept = nullptr;  ///< record that keeps the number
    std::size_t distance = 0;  ///< how many places before this one the same entity waits; 0 if not found
    EntityIndex index = 0;
    EntityTable::IndexWords words;
  };

  void wait(const EntityRecord& entity);
  EntityIndex number(std::size_t place);
  void number_waiting();

  EntityTable& table_;
  RecordSink& next_;
  std::array<Waiting, 32> waiting_;
  std::size_t size_ = 0;
  std::uint64_t first_place_ = 1;  ///< EntityRecord::place of the first entity that waits
  bool tasks_wait_ = false;        ///< whether entities of tasks wait, not ends of edges
};

}  // namespace plimsoll::lbdata
