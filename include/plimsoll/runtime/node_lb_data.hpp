#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/lbdata/phases.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>
#include <plimsoll/runtime/settings.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Load of one object in one earlier phase: the part of its history that load models read. It moves with the
/// object to other ranks.
struct PastLoad {
  std::int64_t phase = 0;           ///< number of the phase
  double time_s = 0;                ///< load including subphases
  std::vector<double> subphases_s;  ///< loads by subphase; empty if the object worked in no subphase

  template <class Archive>
  void serialize(Archive& archive) {
    archive(phase, time_s, subphases_s);
  }
};

class ObjectHistory;
class PhaseStream;

/// LB data of this rank. Keeps the last completed phases in memory, for load models. Writes phases to the
/// rank's LB data file: all phases, or the phases that the specification file selects. Named after vt's
/// component.
class NodeLBData {
 public:
  /// Rank, node and threads of the process.
  struct Place {
    int rank = 0;                    ///< number of the rank, from 0, also in the file's name
    lbdata::SharedNode shared_node;  ///< used in the file's metadata
    bool may_have_threads =
        true;  ///< whether a background thread may compress the file; if not, write() compresses it
  };

  /// Throws Error (usage) if data of an earlier run exist and must not be overwritten, or if another
  /// NodeLBData of this process writes the same file.
  NodeLBData(const Settings& settings, const Place& place,
             std::optional<lbdata::PhaseSpecification> specification = {});
  NodeLBData(const NodeLBData&) = delete;
  NodeLBData& operator=(const NodeLBData&) = delete;
  ~NodeLBData();

  /// Returns the completed phases that are kept, oldest first. Their tasks have user values only if a file is
  /// written, or if the program has hooks at the ends of phases.
  const std::deque<lbdata::PhaseRecord>& phases() const { return phases_; }
  /// Returns the phase with an ID, or null if it is not kept.
  const lbdata::PhaseRecord* phase(std::int64_t id) const;
  /// Returns the total load of this rank's tasks in a kept phase, in seconds; 0 if the phase is not kept.
  double load_s(std::int64_t phase) const;
  /// Sets how many phases trim() keeps from the next call on. No phase is discarded before that, so a hook
  /// may call this while other hooks still read the phase that has ended.
  void keep(std::size_t phases);
  std::size_t kept() const { return static_cast<std::size_t>(settings_.lb_history); }

  /// Returns the loads of an object in the kept phases, oldest first: the measured loads, and those of
  /// add_history(). Expected O(kept phases), plus O(tasks) for the first call per phase. The next three
  /// members identify an object by the number of its entity.
  std::vector<PastLoad> history(lbdata::EntityIndex object);
  /// Adds to the load of an object in a kept phase, for an object that was on another rank or did not exist.
  /// Ignores phases that are not kept, and phases in which this rank measured the object itself.
  void add_history(lbdata::EntityIndex object, const PastLoad& load);
  /// Discards the loads that were added for an object.
  void forget_history(lbdata::EntityIndex object);
  /// Returns the loads that were added in a kept phase as a record without messages. Load models read it in
  /// addition to the record in phases(). No object has tasks in both.
  lbdata::PhaseRecord added_history(std::int64_t phase) const;

  std::uint32_t rank() const { return static_cast<std::uint32_t>(place_.rank); }
  /// Returns the entities to which the phases refer.
  const lbdata::EntityTable& entities() const { return tables_.entities; }
  lbdata::EntityTable& entities() { return tables_.entities; }
  /// Returns the number of the resource "cpu", which all tasks use.
  std::uint8_t cpu() const { return cpu_; }

  /// Creates the file, if the settings enable it. Without open(), the first write() creates it. Throws Error:
  /// usage if another program is writing it, system if it cannot be created.
  void open();
  /// Sets `metadata.attributes`, a JSON object. Throws Error (usage) once writing the file has begun.
  void set_attributes(std::string json);

  /// Adds the phase that has just ended. It is kept until trim() in any case.
  lbdata::PhaseRecord& add(lbdata::PhaseRecord&& phase);
  /// Discards all phases except the last ones; keep() specifies how many are kept.
  void trim();
  /// Writes the phase to the file, if the settings enable the file and select the phase. Throws Error
  /// (system).
  void write(const lbdata::PhaseRecord& phase);
  /// Stops writing. The `.partial` file remains.
  void stop_writing();
  /// Completes the file and renames it to its final name. Throws Error (system).
  void close();
  /// Completes the file, which another process then publishes under its final name
  /// (support::publish_files()). Call published() afterwards. Throws Error (system).
  void end();
  void published();
  /// Returns the path of the rank's file; empty if no file is written.
  const std::string& path() const { return path_; }

  /// Discards the entities that occur neither in a kept phase nor in `in_use`, if they are the majority.
  /// Returns the new index of each entity, or nothing if all indices are unchanged. Cost: O(entities), but
  /// only rarely.
  std::vector<lbdata::EntityIndex> compact(std::span<const lbdata::EntityIndex> in_use);

 private:
  bool ends_with_metadata() const;
  void begin();
  void complete();
  void elide(const lbdata::PhaseRecord& phase, lbdata::PhaseNumbers& list);
  bool is_placed_as_before(const lbdata::PhaseRecord& phase);
  lbdata::RankMetadata metadata() const;

  Settings settings_;
  Place place_;
  std::optional<lbdata::PhaseSpecification> specification_;
  std::string path_;
  lbdata::Dataset tables_;  // tables that the records refer to; has no ranks
  std::uint8_t cpu_;
  std::deque<lbdata::PhaseRecord> phases_;
  std::unique_ptr<ObjectHistory> history_;
  std::optional<std::string> attributes_;
  lbdata::PhaseNumbers skipped_;
  lbdata::PhaseNumbers identical_;
  std::vector<std::uint64_t> written_placement_;  // IDs of the tasks in the last written phase
  std::unique_ptr<PhaseStream> stream_;
};

/// Returns the NodeLBData of the program's recorder, or of the first if it has several. Throws Error (usage)
/// if it has none.
NodeLBData& the_node_lb_data();

}  // namespace plimsoll::runtime
