#pragma once

#include <simdjson.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace plimsoll::testing {

/// Rank of each object, by ID.
using Locations = std::map<std::uint64_t, std::int32_t>;

/// LB data file of one rank as LBDataHolder of vt 1.6 reads it: the migratable objects of each phase.
struct VtFile {
  std::map<std::int64_t, std::set<std::uint64_t>> phases;
  std::set<std::int64_t> identical;
  std::set<std::int64_t> skipped;

  explicit VtFile(const std::string& path) {
    simdjson::dom::parser parser;
    const simdjson::dom::element root = parser.load(path).value();
    simdjson::dom::object lists;
    if (root["metadata"]["phases"].get_object().get(lists) == simdjson::SUCCESS) {
      identical = listed(lists["identical_to_previous"]);
      skipped = listed(lists["skipped"]);
    }
    const simdjson::dom::array records = root["phases"].get_array().value();
    for (const simdjson::dom::element phase : records) {
      if (phase["user_defined"].error() == simdjson::SUCCESS)
        throw std::runtime_error("vt aborts: it cannot read user-defined data of a phase");
      std::set<std::uint64_t>& objects = phases[phase["id"].get_int64().value()];
      const simdjson::dom::array tasks = phase["tasks"].get_array().value();
      for (const simdjson::dom::element task : tasks)
        if (task["entity"]["type"].get_string().value() == "object") add(task, objects);
    }
  }

 private:
  static std::set<std::int64_t> listed(const simdjson::simdjson_result<simdjson::dom::element>& numbers) {
    std::set<std::int64_t> result;
    const simdjson::dom::array list = numbers["list"].get_array().value();
    for (const simdjson::dom::element number : list) result.insert(number.get_int64().value());
    const simdjson::dom::array ranges = numbers["range"].get_array().value();
    for (const simdjson::dom::element ends : ranges) {
      const std::int64_t last = ends.at(1).get_int64().value();
      for (std::int64_t phase = ends.at(0).get_int64().value(); phase <= last; ++phase) result.insert(phase);
    }
    return result;
  }

  /// Adds an object that the two lowest bits of its ID mark as migratable.
  static void add(const simdjson::dom::element& task, std::set<std::uint64_t>& objects) {
    task["time"].get_double().value();  // vt requires these members
    task["node"].get_int64().value();
    const simdjson::dom::element entity = task["entity"].value();
    const auto home = static_cast<std::uint64_t>(entity["home"].get_int64().value());
    const bool migratable = entity["migratable"].get_bool().value();
    std::uint64_t id = 0;
    if (entity["id"].get_uint64().get(id) != simdjson::SUCCESS) {
      id = entity["seq_id"].get_uint64().value();
      if (entity["collection_id"].error() == simdjson::SUCCESS)
        id = id << 18 | home << 2 | (migratable ? 3U : 2U);
    }
    if ((id & 3) == 3) objects.insert(id);
  }
};

/// Model of a vt 1.6 program that runs with OfflineLB and the LB data files of a directory. It performs the
/// steps of LBDataRestartReader (reading and matching departures with arrivals), OfflineLB and BaseLB, and
/// throws an exception where vt aborts.
class VtOfflineLb {
 public:
  VtOfflineLb(const std::string& folder, std::int32_t n_ranks) : history_(static_cast<std::size_t>(n_ranks)) {
    for (std::int32_t rank = 0; rank < n_ranks; ++rank)
      read(VtFile(folder + "/data." + std::to_string(rank) + ".json"), rank);
    changed_.resize(static_cast<std::size_t>(n_phases_ - 1));
    for (std::int64_t phase = 0; phase + 1 < n_phases_; ++phase) match(phase);
  }

  /// Performs the migrations at the end of a phase.
  void end_phase(std::int64_t phase, Locations& objects) const {
    if (phase + 1 >= n_phases_ || !changed_[static_cast<std::size_t>(phase)]) return;
    const Locations before = objects;
    for (std::size_t rank = 0; rank < history_.size(); ++rank) {
      const auto found = history_[rank].find(phase + 1);
      if (found == history_[rank].end())
        throw std::runtime_error("vt aborts: rank " + std::to_string(rank) + " has no objects in phase " +
                                 std::to_string(phase + 1));
      for (const auto& [object, from] : *found->second) {
        // vt drops migrations from a rank to itself, and asks the rank `from` for all others.
        const auto to = static_cast<std::int32_t>(rank);
        const auto present = before.find(object);
        if (from != to && present != before.end() && present->second == from) objects[object] = to;
      }
    }
  }

 private:
  /// The objects of one rank in one phase, each with the rank from which it arrives.
  using Objects = std::map<std::uint64_t, std::int32_t>;

  void read(const VtFile& file, std::int32_t rank) {
    const auto last = [](const auto& phases) { return phases.empty() ? 0 : *phases.rbegin(); };
    const std::int64_t last_written = file.phases.empty() ? 0 : file.phases.rbegin()->first;
    n_phases_ = std::max({last_written, last(file.identical), last(file.skipped)}) + 1;
    std::int64_t last_found = 0;
    for (std::int64_t phase = 0; phase < n_phases_; ++phase) {
      auto& history = history_[static_cast<std::size_t>(rank)];
      if (const auto found = file.phases.find(phase); found != file.phases.end()) {
        last_found = phase;
        if (found->second.empty()) continue;
        history[phase] = std::make_shared<Objects>();
        for (const std::uint64_t object : found->second) history[phase]->emplace(object, rank);
      } else if (file.identical.contains(phase)) {
        if (history.contains(last_found)) history[phase] = history[last_found];
      } else if (!file.skipped.contains(phase)) {
        throw std::runtime_error("vt aborts: skipped phases need to be listed");
      }
    }
  }

  /// Finds the ranks from which objects arrive in `phase` + 1. Only ranks with objects in both phases take
  /// part.
  void match(std::int64_t phase) {
    std::map<std::uint64_t, std::int32_t> departures;
    std::map<std::uint64_t, std::int32_t> arrivals;
    for (std::size_t rank = 0; rank < history_.size(); ++rank) {
      const auto before = history_[rank].find(phase);
      const auto after = history_[rank].find(phase + 1);
      if (before == history_[rank].end() || after == history_[rank].end()) continue;
      for (const auto& [object, from] : *before->second)
        if (!after->second->contains(object)) departures[object] = static_cast<std::int32_t>(rank);
      for (const auto& [object, from] : *after->second)
        if (!before->second->contains(object)) arrivals[object] = static_cast<std::int32_t>(rank);
    }
    changed_[static_cast<std::size_t>(phase)] = !departures.empty() || !arrivals.empty();
    for (const auto& [object, to] : arrivals)
      if (const auto from = departures.find(object); from != departures.end())
        history_[static_cast<std::size_t>(to)].at(phase + 1)->at(object) = from->second;
  }

  std::int64_t n_phases_ = 0;
  std::vector<std::map<std::int64_t, std::shared_ptr<Objects>>> history_;  ///< by rank and phase
  std::vector<bool> changed_;  ///< whether migrations follow a phase
};

/// Returns the ranks of the objects in each phase that a directory contains.
inline std::map<std::int64_t, Locations> recorded_locations(const std::string& folder, std::int32_t n_ranks) {
  std::map<std::int64_t, Locations> phases;
  for (std::int32_t rank = 0; rank < n_ranks; ++rank)
    for (const auto& [phase, objects] : VtFile(folder + "/data." + std::to_string(rank) + ".json").phases)
      for (const std::uint64_t object : objects) phases[phase][object] = rank;
  return phases;
}

/// Runs a vt program that follows the plan in a directory. `recorded` contains the objects of each recorded
/// phase and their ranks. An object that is new in a phase starts on its rank there; an object that a phase
/// does not contain has been deleted. Returns the locations after phase `last`.
inline Locations run_with_offline_lb(const std::string& plan, std::int32_t n_ranks,
                                     const std::map<std::int64_t, Locations>& recorded, std::int64_t last) {
  const VtOfflineLb vt(plan, n_ranks);
  Locations objects;
  for (std::int64_t phase = 0; phase <= last; ++phase) {
    if (const auto found = recorded.find(phase); found != recorded.end()) {
      std::erase_if(objects, [&](const auto& entry) { return !found->second.contains(entry.first); });
      for (const auto& [object, rank] : found->second) objects.try_emplace(object, rank);
    }
    vt.end_phase(phase, objects);
  }
  return objects;
}

}  // namespace plimsoll::testing
