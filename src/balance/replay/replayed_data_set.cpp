#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <plimsoll/balance/apply_placement.hpp>
#include <plimsoll/balance/replay.hpp>
#include <plimsoll/support/json_view.hpp>
#include <plimsoll/support/json_writer.hpp>

#include "balance/database/phase_records.hpp"
#include "balance/database/separate_record.hpp"
#include "balance/replay/object_slots.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

// Members of `user_defined` that contain what a run has decided (BalancedPhase).
constexpr std::array<std::string_view, 5> decision_members = {"lb_name", "lb_time", "lb_predicted_gain",
                                                              "migration_count", "migration_time"};

/// Returns user data of a phase with the decision of the replay instead of that of the recorded run; empty
/// without any member.
std::string with_decision(const std::optional<std::string>& user_defined, const ReplayedDecision& decision) {
  std::string text;
  support::JsonWriter json(text);
  json.begin_object();
  bool is_empty = true;
  support::JsonParser parser("");
  if (user_defined)
    parser.parse(*user_defined).for_each_member([&](std::string_view name, const support::JsonView& value) {
      if (std::ranges::find(decision_members, name) != decision_members.end()) return;
      json.key(name).raw(value.json());
      is_empty = false;
    });
  if (decision.has_decided) {
    json.member("lb_name", decision.strategy).member("lb_time", decision.decision_s);
    json.member("lb_predicted_gain", decision.predicted_gain_s);
    json.member("migration_count", std::ssize(decision.migrations));
    json.member("migration_time", decision.migration_s);
    is_empty = false;
  }
  json.end_object();
  return is_empty ? std::string() : text;
}

bool mentions_decision(const lbdata::PhaseRecord& record) {
  return record.user_defined && record.user_defined->find("lb_name") != std::string::npos;
}

void set_decision(lbdata::Dataset& dataset, std::int64_t phase, const ReplayedDecision& decision) {
  for (lbdata::RankData& rank : dataset.ranks) {
    if (!decision.has_decided && !mentions_decision(*rank.resolve(phase).record)) continue;
    lbdata::PhaseRecord& record = separate_record(rank, phase);
    std::string text = with_decision(record.user_defined, decision);
    record.user_defined = text.empty() ? std::nullopt : std::optional(std::move(text));
  }
}

}  // namespace

lbdata::Dataset replayed_data_set(lbdata::Dataset dataset, const Replay& replay) {
  ObjectSlots slots(dataset.entities);
  SlotPlacement placement;
  for (const ReplayedPhase& replayed : replay.phases) {
    const std::vector<std::uint32_t> phase_slots = slots.of(phase_records(dataset, replayed.phase));
    const DatasetPhase phase = load_phase(dataset, replayed.phase);
    const std::vector<std::int32_t> to_proc = placement.ranks(phase_slots, phase.stats.from_proc);
    for (const ReplayedMigration& migration : replayed.decision.migrations)
      placement.set(slots.slot_of(migration.object), migration.to);
    dataset = apply_placement(std::move(dataset), phase, to_proc);
    set_decision(dataset, replayed.phase, replayed.decision);
  }
  return dataset;
}

}  // namespace plimsoll::balance
