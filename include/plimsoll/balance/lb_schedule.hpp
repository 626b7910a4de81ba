#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

// Names that a schedule accepts in addition to the strategies of the registry. They only make sense in a
// running program, and have no parameters.
inline constexpr std::string_view offline_lb = "OfflineLB";  ///< follows recorded placements
inline constexpr std::string_view test_serialization_lb =
    "TestSerializationLB";  ///< packs and unpacks every object in place

/// Throws Error (usage) if a strategy does not exist, or for an unknown parameter or an invalid value. Loads
/// plug-ins into the registry.
void check_lb_strategy(const StrategySpec& strategy, StrategyRegistry& registry);

/// Parses parameters "key=value key=value", separated by white space (`--vt_lb_args`). A value may contain
/// '=' but no white space. Throws Error (usage) for a word without '=' or without key, and for a duplicate.
std::vector<std::pair<std::string, std::string>> parse_lb_arguments(std::string_view text);

/// Returns the parameters of a strategy, or of all strategies if the name is empty or NoLB, as
/// `--vt_help_lb_args` prints them. Throws like StrategyRegistry::info().
std::string lb_arguments_help(const std::string& name = {},
                              const StrategyRegistry& registry = StrategyRegistry::builtin());

/// Entry of an LbSchedule.
struct LbScheduleEntry {
  bool modulus = false;     ///< whether the entry applies to multiples of `number`
  std::int64_t number = 0;  ///< phase, >= 0; if `modulus`, the divisor, >= 1
  std::int64_t offset = 0;  ///< if `modulus`, the first phase, which is also added to the multiples
  StrategySpec strategy;    ///< strategy with its parameters
  std::uint64_t line = 0;   ///< line of the file, from 1; 0 if not from a file

  bool applies_to(std::int64_t phase) const {
    return modulus ? phase >= offset && (phase - offset) % number == 0 : phase == number;
  }
};

/// Strategy of each phase: vt's LB configuration file (`--vt_lb_file_name`). Each line contains an entry
/// `[%] [NUMBER] STRATEGY [KEY=VALUE ...]`:
///
///     0 NoLB                       no balancing at the end of phase 0
///     120 GreedyLB min=0.5         phase 120
///     %10 RefineLB                 each multiple of 10
///     HierarchicalLB               every phase, like %1
///
/// An entry without % takes precedence. Then the first entry with % that divides the phase applies. Unlike
/// vt, comments from # (at the start of a word) to the end of the line, empty lines, and white space at the
/// end of a line are allowed.
class LbSchedule {
 public:
  /// Creates a schedule without balancing.
  LbSchedule() = default;
  /// Parses an LB configuration file. Throws Error (bad_input), with file, line and column, for any other
  /// text, a number that occurs twice in entries of one kind, and everything that check_lb_strategy()
  /// rejects.
  static LbSchedule parse(std::string_view text, const std::string& name,
                          StrategyRegistry registry = StrategyRegistry::builtin());
  /// Returns the schedule of one strategy, as vt's `--vt_lb_name`, `_interval` (>= 1) and
  /// `_run_lb_first_phase` define it: with interval 10, it runs in phases 1, 11, 21, ..., or in 0, 10, 20,
  /// ... if `first_phase` is set. Does not check the strategy.
  static LbSchedule single(StrategySpec strategy, std::int64_t interval = 1, bool first_phase = false);

  /// Returns the strategy that runs at the end of a phase; empty if none does, also for NoLB. Cost: O(log n)
  /// for n entries without %, plus O(m) for m entries with %.
  std::optional<StrategySpec> strategy(std::int64_t phase) const;
  /// Returns whether an entry has this strategy.
  bool uses(std::string_view strategy) const;
  /// Returns the entries in the order of the file.
  const std::vector<LbScheduleEntry>& entries() const { return entries_; }
  /// Formats the schedule as vt's `--vt_lb_show_config` does, without vt's prefix of each line. The excluded
  /// phases of an entry with % are those from 1 up to the largest number in the schedule, at most 20.
  std::string table() const;

 private:
  void add(LbScheduleEntry entry);
  const LbScheduleEntry* entry_of(std::int64_t phase) const;

  std::vector<LbScheduleEntry> entries_;
  std::map<std::int64_t, std::size_t> exact_;  // index of each entry without %, by phase
};

}  // namespace plimsoll::balance
