#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Index of an object: its position among the tasks of the last phase, sorted by rank and by position in the
/// rank's record (the order of LDStats::obj_data).
using ObjectIndex = std::uint32_t;

/// Number of messages and their bytes.
struct MessageVolume {
  double bytes = 0;
  std::int64_t messages = 0;
};

/// Messages that an object exchanged with other ranks in one phase.
struct OffRankTraffic {
  MessageVolume received;            ///< received messages of any category
  MessageVolume received_send_recv;  ///< received messages of category SendRecv
  MessageVolume sent_send_recv;      ///< sent messages of category SendRecv
};

/// Measurements of all objects of one phase, in this phase and in earlier phases: the input of load models.
///
/// The history is a view: the records must outlive it. It takes 8 bytes per object and phase, plus 48 bytes
/// with traffic. In earlier phases, an object is identified by its number, regardless of its rank. A
/// non-migratable object is identified by number and rank, because several ranks may use the same number.
class LoadHistory {
 public:
  /// Records of all ranks in one phase, or of one rank. The first record of one rank contains its work and
  /// messages. Further records contain the loads of its present objects that it did not measure itself.
  using Phase = std::vector<const lbdata::PhaseRecord*>;
  /// Whether to count messages as well, which takes time per edge.
  enum class Traffic { ignore, count };

  /// Requires one or more `phases`, oldest first. With `only_rank`, each phase has only records of
  /// this rank. Edges to an object without a task in the first record count as edges to another rank. Without
  /// `only_rank`, edges to an object without a task are ignored.
  ///
  /// Cost: expected O(tasks), plus O(edges) with traffic. Throws Error (bad_input) for an object with two
  /// tasks in one phase, and for a time that is negative or not finite. With traffic, it also throws for
  /// edges with negative bytes or messages.
  LoadHistory(const lbdata::EntityTable& entities, std::vector<Phase> phases,
              Traffic traffic = Traffic::ignore, std::optional<std::uint32_t> only_rank = {});

  std::size_t n_phases() const { return phases_.size(); }
  std::size_t n_objects() const { return ages_.size(); }
  /// Returns the number (>= 1) of consecutive phases, ending with the last phase, that have a task of the
  /// object.
  std::size_t n_phases(ObjectIndex object) const { return ages_[object]; }

  /// Returns the load in seconds in the phase `back` phases before the next phase (1: last phase). Returns 0
  /// if the object had no task in that phase.
  double load_s(ObjectIndex object, std::int64_t back) const {
    const Place* place = find(object, back);
    return place == nullptr ? 0 : record(*place, back).tasks.time_s[place->task];
  }
  /// Returns the load of one subphase, in the same way.
  double subphase_load_s(ObjectIndex object, std::int64_t back, std::uint32_t subphase) const;
  /// Returns the object's highest subphase id plus 1. Throws Error (bad_input) for ids outside 0 to 65534.
  std::uint32_t n_subphases(ObjectIndex object) const;
  /// Returns the object's off-rank messages; zeros unless traffic was requested.
  OffRankTraffic traffic(ObjectIndex object, std::int64_t back) const {
    return find(object, back) == nullptr || traffic_.empty() ? OffRankTraffic{}
                                                             : traffic_[phase(back)][object];
  }
  /// Returns the `collection_id` of the object, if it has one.
  std::optional<lbdata::WideInteger> collection(ObjectIndex object) const;

 private:
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  /// Location of a task: the record in a Phase, and the task in the record.
  struct Place {
    std::uint32_t record = nowhere;
    std::uint32_t task = 0;
  };
  void find_in_earlier_phases(std::optional<std::uint32_t> only_rank);
  void count_traffic(std::size_t phase, std::optional<std::uint32_t> only_rank);
  bool moves(lbdata::EntityIndex entity) const;
  std::size_t n_places() const { return places_.back().size(); }

  std::size_t phase(std::int64_t back) const { return phases_.size() - static_cast<std::size_t>(back); }
  const Place* find(ObjectIndex object, std::int64_t back) const {
    if (back < 1 || static_cast<std::size_t>(back) > phases_.size()) return nullptr;
    const Place& place = places_[phase(back)][object];
    return place.record == nowhere ? nullptr : &place;
  }
  const lbdata::PhaseRecord& record(const Place& place, std::int64_t back) const {
    return *phases_[phase(back)][place.record];
  }

  const lbdata::EntityTable& entities_;
  std::vector<Phase> phases_;               // phases, oldest first
  std::vector<std::vector<Place>> places_;  // location of each object's task, by phase and object
  std::vector<std::uint32_t> ages_;
  std::vector<std::vector<OffRankTraffic>> traffic_;  // traffic by phase and object; empty if ignored
};

/// Builds the history of a data set: `phase` and the phases before it with data on all ranks, at most
/// `n_phases`. Phases without data on some rank are skipped. Throws like LoadHistory, and like load_phase()
/// if the phase does not exist.
LoadHistory dataset_history(const lbdata::Dataset& dataset, std::int64_t phase, std::size_t n_phases,
                            LoadHistory::Traffic traffic = LoadHistory::Traffic::ignore);

}  // namespace plimsoll::balance
