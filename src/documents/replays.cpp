#include <plimsoll/balance/internal/refusal_text.hpp>
#include <plimsoll/documents/replays.hpp>

#include "documents/describe.hpp"
#include "documents/load_source.hpp"

namespace plimsoll::PLIMSOLL_ABI::documents {

using namespace balance;

namespace {

const Replay& first_replay(const ReplayInfo& info) {
  return info.replays.front().replay;
}

std::int64_t n_migrations_of(const ReplayedDecision& decision) {
  return std::ssize(decision.migrations);
}

std::optional<std::string> refusal_of(const ReplayedDecision& decision) {
  if (decision.refusal.reason == Refusal::Reason::none) return std::nullopt;
  return describe(decision.refusal, false).text;
}

}  // namespace

template <>
inline constexpr std::array fields<PlacementLife> = {
    member<&PlacementLife::phase>("phase at whose end the objects migrated"),
    field<&PlacementLife::n_phases>("phases", "number of phases until the next migrations, or the end"),
    member<&PlacementLife::good_phases>(
        "number of these phases, from the first, in which the placement saved at least half of what it saved "
        "in the first one, compared with the placement before it"),
    member<&PlacementLife::saved_s>("time saved in all of these phases; below 0 if they took longer"),
    member<&PlacementLife::cost_s>("time to decide and migrate"),
};

template <>
inline constexpr std::array fields<ReplayedPhase> = {
    member<&ReplayedPhase::phase>("number of the phase"),
    member<&ReplayedPhase::time_s>("time with the placement of the replay, without costs"),
    member<&ReplayedPhase::mean_s>("mean load or work of the ranks"),
    member<&ReplayedPhase::imbalance>("max/mean − 1").or_null(),
    member<&ReplayedPhase::bound_s>("lower bound on the time for any placement"),
    member<&ReplayedPhase::recorded_s>("time with the recorded placement"),
    member<&ReplayedPhase::not_balanced_s>("time if no object ever migrates"),
    field<&ReplayedPhase::decision, &ReplayedDecision::strategy>(
        "strategy", "strategy of the schedule at the end of the phase; `null` if none")
        .or_null(),
    member<&ReplayedPhase::decision, &ReplayedDecision::decision_s>("charged time to decide"),
    member<&ReplayedPhase::decision, &ReplayedDecision::predicted_gain_s>(
        "decrease of the time of a phase that the strategy predicted"),
    field<&ReplayedPhase::decision, n_migrations_of>("migrations", "number of migrated objects"),
    member<&ReplayedPhase::decision, &ReplayedDecision::moved_bytes>("their bytes, if known"),
    member<&ReplayedPhase::decision, &ReplayedDecision::migration_s>("charged time to migrate"),
    field<&ReplayedPhase::decision, refusal_of>(
        "not_balanced", "why nothing migrated, with the condition `pays`; otherwise `null`"),
};

template <>
inline constexpr std::array fields<Replay> = {
    member<&Replay::total_s>("time of all phases, decisions and migrations"),
    member<&Replay::phases_s>("time of all phases"),
    member<&Replay::costs_s>("time of all decisions and migrations"),
    field<&Replay::n_balanced>("balanced_phases", "number of phases at whose end objects migrated"),
    field<&Replay::n_migrations>("migrations", "number of migrations"),
    member<&Replay::placements>("how long each placement remained good"),
    member<&Replay::phases>("the phases with data on all ranks"),
};

template <>
inline constexpr std::array fields<NamedReplay> = {
    member<&NamedReplay::strategy>("strategy with its parameters; `null` with `--config`").or_null(),
    member<&NamedReplay::interval>("number of phases between two decisions; `null` with `--config`"),
    member<&NamedReplay::when>("condition for balancing: `pays`, `always`, or a minimum imbalance"),
    merged<&NamedReplay::replay>(),
};

template <>
inline constexpr std::array fields<ReplayCosts> = {
    member<&ReplayCosts::per_decision_s>("time of a decision"),
    member<&ReplayCosts::per_decided_object_s>("additional time of a decision per object of the phase"),
    field<&ReplayCosts::n_decisions>("fitted_decisions",
                                     "number of recorded decisions that these are fitted to; 0: none"),
    field<&ReplayCosts::migration, &MigrationPrice::times_s>(
        "migration_times_s",
        "a list: time of a migration, additional time per object, and per byte, of the rank that sends and "
        "receives most"),
    field<&ReplayCosts::n_migrations>(
        "fitted_migrations",
        "number of recorded migrations that these are fitted to, of which later ones count more; 0: none"),
};

template <>
inline constexpr std::array fields<ReplayInfo> = {
    field<&ReplayInfo::n_ranks>("ranks", "number of ranks"),
    merged<&ReplayInfo::loads>(),
    member<&ReplayInfo::synchronised>("as in `balance`"),
    member<&ReplayInfo::is_work>("whether times are work according to `--work`, not loads"),
    member<&ReplayInfo::costs>("what the replays charge"),
    field<&ReplayInfo::recorded_total_s>("recorded_total_s",
                                         "time of all phases as recorded, with the decisions and migrations "
                                         "of the run itself"),
    field<first_replay, &Replay::not_balanced_s>("not_balanced_s",
                                                 "time of all phases if no object migrates"),
    field<first_replay, &Replay::bound_s>("bound_s", "sum of the lower bounds of all phases"),
    member<&ReplayInfo::replays>("in the order requested"),
    member<&ReplayInfo::output>("the output directory; `null` if no data were written").or_null(),
};

template const Structure& structure<ReplayInfo>();

}  // namespace plimsoll::documents
