#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>

namespace plimsoll::inline v0_1::balance {

/// Number of an object: its place among the tasks of the last phase, in the order of ranks and of tasks in a
/// rank's record (that of LDStats::obj_data).
using ObjectIndex = std::uint32_t;

/// Messages summed up.
struct MessageVolume {
  double bytes = 0;
  std::int64_t messages = 0;
};

/// What an object got from, and sent to, other ranks in a phase.
struct OffRankTraffic {
  MessageVolume received;            ///< of any category
  MessageVolume received_send_recv;  ///< of category SendRecv
  MessageVolume sent_send_recv;      ///< of category SendRecv
};

/// What was measured of the objects of a phase, in it and in the phases before it: what load models go by.
///
/// A view: the records must outlive it. 8 bytes for each object and phase, and 48 more with traffic. An
/// object is found in earlier phases by its number, wherever it was; a sentinel by number and rank, since
/// numbers of sentinels repeat.
class LoadHistory {
 public:
  /// The records of all ranks in one phase, or of one rank.
  using Phase = std::vector<const lbdata::PhaseRecord*>;
  /// Whether messages are counted too, which takes time for each edge.
  enum class Traffic { ignore, count };

  /// `phases`: at least one, oldest first. With `only_rank` each has the record of this rank alone, and what
  /// has no task there is on another rank; without, an edge to an object without a task is left aside.
  ///
  /// Expected O(tasks), and O(edges) with traffic. Throws Error (bad_input) for an object with two tasks in
  /// one phase, a time that is not finite or negative, and such edges.
  LoadHistory(const lbdata::EntityTable& entities, std::vector<Phase> phases,
              Traffic traffic = Traffic::ignore, std::optional<std::uint32_t> only_rank = {});

  std::size_t n_phases() const { return phases_.size(); }
  std::size_t n_objects() const { return ages_.size(); }
  /// How many phases, the last and those before it without a gap, have a task of the object. At least 1.
  std::size_t n_phases(ObjectIndex object) const { return ages_[object]; }

  /// Seconds in the phase `back` (1: the last) phases before the next; 0 if the object had no task there.
  double load_s(ObjectIndex object, std::int64_t back) const {
    const Place* place = find(object, back);
    return place == nullptr ? 0 : record(*place, back).tasks.time_s[place->task];
  }
  /// The same of the subphase of this id.
  double subphase_load_s(ObjectIndex object, std::int64_t back, std::uint32_t subphase) const;
  /// The object's highest id of a subphase, plus 1. Throws Error (bad_input) for ids that are not 0 to 65534.
  std::uint32_t n_subphases(ObjectIndex object) const;
  /// Zeros unless traffic was asked for.
  OffRankTraffic traffic(ObjectIndex object, std::int64_t back) const {
    return find(object, back) == nullptr || traffic_.empty() ? OffRankTraffic{}
                                                             : traffic_[phase(back)][object];
  }
  /// `collection_id` of the object, if it has one.
  std::optional<lbdata::WideInteger> collection(ObjectIndex object) const;

 private:
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  /// The record in a Phase, and the task in it.
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
  std::vector<Phase> phases_;               // oldest first
  std::vector<std::vector<Place>> places_;  // by phase and object
  std::vector<std::uint32_t> ages_;
  std::vector<std::vector<OffRankTraffic>> traffic_;  // by phase and object; empty if ignored
};

/// The history of a data set up to a phase: this one and those before it that have data on all ranks,
/// `n_phases` or as many as there are. Phases without data on some rank are passed over as if they had not
/// been. Throws as LoadHistory, and as load_phase() if the phase isn't there.
LoadHistory dataset_history(const lbdata::Dataset& dataset, std::int64_t phase, std::size_t n_phases,
                            LoadHistory::Traffic traffic = LoadHistory::Traffic::ignore);

}  // namespace plimsoll::balance
