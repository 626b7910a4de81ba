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
#include <plimsoll/lbdata/phase_specification.hpp>
#include <plimsoll/runtime/settings.hpp>

namespace plimsoll::inline v0_1::runtime {

class PhaseStream;

/// The LB data of this rank. Keeps the last finished phases in memory, for load models, and writes all
/// phases, or those that the specification file selects, to the rank's LB data file. Named after vt's
/// component.
class NodeLBData {
 public:
  /// Where the rank runs.
  struct Place {
    int rank = 0;                    ///< from 0; also the number in the file's name
    lbdata::SharedNode shared_node;  ///< for the file's metadata
    bool may_have_threads = true;    ///< false: the thread that writes a phase also compresses it
  };

  /// Throws Error (usage) if data of an earlier run exist and must not be overwritten, or if another
  /// NodeLBData of this process writes the same file.
  NodeLBData(const Settings& settings, const Place& place,
             std::optional<lbdata::PhaseSpecification> specification = {});
  NodeLBData(const NodeLBData&) = delete;
  NodeLBData& operator=(const NodeLBData&) = delete;
  ~NodeLBData();

  /// Finished phases that are kept, oldest first.
  const std::deque<lbdata::PhaseRecord>& phases() const { return phases_; }
  /// The phase with an id, or null if it is not kept.
  const lbdata::PhaseRecord* phase(std::int64_t id) const;
  /// The sum of the loads of this rank's tasks in a kept phase, in seconds; 0 if it is not kept.
  double load_s(std::int64_t phase) const;
  /// Sets how many phases are kept from the next trim() on. Until then no phase is forgotten, so that a hook
  /// may call this while others still read the phase that has ended.
  void keep(std::size_t phases);

  std::uint32_t rank() const { return static_cast<std::uint32_t>(place_.rank); }
  /// What the entities of the phases are.
  const lbdata::EntityTable& entities() const { return tables_.entities; }
  lbdata::EntityTable& entities() { return tables_.entities; }
  /// Number of the resource of all tasks, "cpu".
  std::uint8_t cpu() const { return cpu_; }

  /// Creates the file, if the settings ask for one; write() does so otherwise. Throws Error: usage if another
  /// program is writing it, system if it cannot be created.
  void open();
  /// Sets `metadata.attributes`, a JSON object. Throws Error (usage) once writing the file has begun.
  void set_attributes(std::string json);

  /// Adds a phase that has ended. It stays until trim(), even if no phases are to be kept.
  const lbdata::PhaseRecord& add(lbdata::PhaseRecord&& phase);
  /// Forgets the phases that are not to be kept.
  void trim();
  /// Writes a phase to the file, if the settings ask for a file and select the phase. Throws Error (system).
  void write(const lbdata::PhaseRecord& phase);
  /// Writes nothing from now on. The `.partial` file stays.
  void stop_writing();
  /// Completes the file and gives it its name. Throws Error (system).
  void close();
  /// Completes the file, which another process gives its name (support::publish_files()); then published().
  /// Throws Error (system).
  void end();
  void published();
  /// The rank's file, empty if none is written.
  const std::string& path() const { return path_; }

  /// If most entities occur neither in a kept phase nor in `in_use`, forgets these. Returns the new index of
  /// each entity, or nothing if all indices are unchanged. O(entities), rarely.
  std::vector<lbdata::EntityIndex> compact(std::span<const lbdata::EntityIndex> in_use);

 private:
  bool ends_with_metadata() const;
  void begin();
  void complete();
  bool is_placed_as_before(const lbdata::PhaseRecord& phase);
  lbdata::RankMetadata metadata() const;

  Settings settings_;
  Place place_;
  std::optional<lbdata::PhaseSpecification> specification_;
  std::string path_;
  lbdata::Dataset tables_;  // no ranks: what the records refer to
  std::uint8_t cpu_;
  std::deque<lbdata::PhaseRecord> phases_;
  std::optional<std::string> attributes_;
  lbdata::PhaseNumbers skipped_;
  lbdata::PhaseNumbers identical_;
  std::vector<std::uint64_t> written_placement_;  // ids of the tasks of the phase written last
  std::unique_ptr<PhaseStream> stream_;
};

/// The NodeLBData of the program's recorder, the first if it has several. Throws Error (usage) if it has
/// none.
NodeLBData& the_node_lb_data();

}  // namespace plimsoll::runtime
