#pragma once

#include <set>

#include "lbdata/reading/document.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Contents of one file, with separate tables: files can be read without a lock and merged afterwards.
struct FileData {
  EntityTable entities;
  NameTable resources;
  NameTable categories = Dataset::known_categories();
  RankData rank;
  std::set<std::int64_t> phases;  ///< IDs of all phases of the file, also of skipped ones
};

/// Stores the records of a document in columns. EntityNumbering must add their entities to file().entities.
/// Omits placeholders (is_placeholder()) without load. Skips phases that are not selected, unless the file
/// may list a selected phase as identical to them.
class DatasetBuilder : public RecordSink {
 public:
  explicit DatasetBuilder(const PhaseSelection& selection) : selection_(selection) {}

  void metadata(RankMetadata&& metadata) override { file_.rank.metadata = std::move(metadata); }
  void begin_phase(RecordPlace place) override;
  void begin_iteration(RecordPlace place) override;
  void task(const TaskRecord& task, RecordPlace place) override;
  void communication(const CommunicationRecord& edge, RecordPlace place) override;
  void task_entity(EntityIndex entity) override { record_->tasks.entity.push_back(entity); }
  void edge_ends(EntityIndex from, EntityIndex to) override {
    record_->communications->from.push_back(from);
    record_->communications->to.push_back(to);
  }
  void end_iteration(PhaseHeader&& header) override;
  void end_phase(PhaseHeader&& header, bool complete) override;

  FileData take();
  FileData& file() { return file_; }

 private:
  bool may_be_repeated(const PhaseRecord& record, std::int64_t next_id) const;

  const PhaseSelection& selection_;
  FileData file_;
  PhaseRecord phase_;
  WorkRecord iteration_;
  WorkRecord* record_ = &phase_;  // target of tasks and edges
};

/// Replaces the entities of a phase: index k by `replacement[k]`.
void replace_entities(PhaseRecord& phase, const std::vector<EntityIndex>& replacement);

/// Appends a file's data to the data set as its next rank. Cost: O(entities and records of the file).
void append_rank(Dataset& dataset, FileData&& file);

}  // namespace plimsoll::lbdata
