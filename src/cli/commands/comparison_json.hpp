#pragma once

#include <string>

#include <plimsoll/balance/decision.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Whether a comparison lists the load of each rank under each placement, as `rank_loads_s`.
enum class RankLoads { omitted, included };

/// Returns what `plimsoll compare --json` prints (docs/reference/json-output.md).
std::string comparison_json(const balance::PhaseComparison& comparison, const std::string& load_field,
                            const std::string& load_model, RankLoads rank_loads = RankLoads::omitted);

}  // namespace plimsoll::cli
