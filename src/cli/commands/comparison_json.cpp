#include "cli/commands/comparison_json.hpp"

#include <plimsoll/balance/score.hpp>
#include <plimsoll/support/json_writer.hpp>

#include "cli/options/load_model_option.hpp"
#include "cli/terminal/placement_json.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

std::string comparison_json(const balance::PhaseComparison& phase_comparison, const std::string& load_field,
                            const std::string& load_model, RankLoads rank_loads) {
  const auto& [phase, comparison] = phase_comparison;
  std::string text;
  support::JsonWriter json(text);
  json.begin_object()
      .member("phase", phase.phase)
      .member("load_field", if_any(load_field))
      .member("load_model", load_model)
      .member("ranks", phase.stats.count())
      .member("objects", phase.stats.n_objs())
      .member("lower_bound_s", comparison.bound.time_s)
      .member("lower_bound_cause", balance::to_string(comparison.bound.cause));
  json.key("start").begin_object();
  write_quality(json, comparison.start);
  json.member("above_bound", balance::above_bound(comparison.start, comparison.bound));
  if (rank_loads == RankLoads::included)
    json.key("rank_loads_s").values(balance::finish_times(phase.stats, phase.stats.from_proc));
  json.end_object();
  json.key("strategies").begin_array();
  for (const balance::StrategyResult& result : comparison.results) {
    write_strategy(json.begin_object(), result);
    if (result.failure.empty()) {
      write_quality(json, result.quality);
      write_moves(json, result.quality);
      json.member("above_bound", balance::above_bound(result.quality, comparison.bound))
          .member("strategy_time_s", result.decision_s)
          .member("non_dominated", result.non_dominated);
      write_remarks(json, result);
      if (rank_loads == RankLoads::included) json.key("rank_loads_s").values(result.rank_loads_s);
    } else {
      json.member("failure", result.failure);
    }
    json.end_object();
  }
  json.end_array().end_object();
  return text + '\n';
}

}  // namespace plimsoll::cli
