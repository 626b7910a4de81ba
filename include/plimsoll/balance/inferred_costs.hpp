#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Cost of a feature of objects, such as their number of particles.
struct FeatureCost {
  std::string feature;  ///< name
  double cost_s = 0;    ///< seconds per unit of the feature, >= 0
  double error_s = 0;   ///< standard error of the cost
};

/// Costs that a LoadInference has inferred.
struct InferredCosts {
  std::vector<FeatureCost> costs;
  /// Sentences about features whose costs cannot be known, or not be told apart.
  std::vector<std::string> remarks;
};

/// Name of the costs in `user_defined` of a phase of rank 0.
inline constexpr const char* inferred_costs_name = "inferred_loads";
/// Name of the time, in seconds, of the packs of a rank whose loads were inferred, in `user_defined` of its
/// phases.
inline constexpr const char* inferred_time_name = "inferred_time";

/// Formats the costs as a JSON object.
std::string to_json(const InferredCosts& costs);
/// Returns the costs in `user_defined` of a phase; nothing if it has none in the format of to_json(), because
/// `user_defined` belongs to the program.
std::optional<InferredCosts> inferred_costs(const lbdata::PhaseRecord& record);
/// Returns the costs in the last of these phases that has any, as rank 0 has recorded them; else none.
InferredCosts last_inferred_costs(const lbdata::Dataset& dataset, std::span<const std::int64_t> phases);

}  // namespace plimsoll::balance
