#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <plimsoll/balance/lb_schedule.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/runtime/settings.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Condition under which the strategy of a phase runs: the value of Settings::lb_when.
struct LbCondition {
  enum class Kind {
    pays,       ///< balance::BenefitRule decides
    always,     ///< every time
    threshold,  ///< if the imbalance of the phase (max/mean - 1) exceeds min_imbalance
  };
  Kind kind = Kind::pays;
  double min_imbalance = 0;
};

/// Parses lb_when: "pays", "always" or a number >= 0. Returns nothing for other text.
std::optional<LbCondition> parse_lb_when(const std::string& text);
/// Parses lb_work: "ALPHA,BETA,GAMMA[,DELTA[,BETA_NODE]]" with finite numbers >= 0. Returns nothing for other
/// text, also for an empty text.
std::optional<balance::WorkCoefficients> parse_lb_work(const std::string& text);

/// Throws Error (usage) if lb_name does not exist, or for invalid lb_args.
void check_lb_name(const Settings& settings);

/// Throws Error (usage) if the schedule uses OfflineLB without lb_data_in or TestSerializationLB without
/// lb_self_migration.
void require_inputs(const Settings& settings, const balance::LbSchedule& schedule);

/// Returns the strategy of each phase. `file_text` is the text of lb_file_name. The schedule is empty unless
/// lb is set. Throws Error (usage) like check_lb_name(), and for OfflineLB without lb_data_in or
/// TestSerializationLB without lb_self_migration. Throws Error (bad_input) like balance::LbSchedule::parse().
balance::LbSchedule make_lb_schedule(const Settings& settings, std::string_view file_text);

}  // namespace plimsoll::runtime
