#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/pelayout/scaling_model.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// How well one component with one number of threads is known; next_runs() has the rule.
class Uncertainty {
 public:
  /// `model` is what solutions go by. There must be samples of the component with these threads.
  Uncertainty(const Component& component, std::int64_t threads, const ScalingModel& model);

  /// What is not known of the cost at a count, as a share of it.
  double share(std::int64_t tasks) const;
  /// In words.
  std::string reason(std::int64_t tasks) const;
  /// The measured counts, ascending.
  std::vector<std::int64_t> measured() const;

 private:
  double disagreement(std::int64_t tasks) const;
  double power_law(std::int64_t tasks) const;
  const Sample& nearest(std::int64_t tasks) const;

  std::vector<Sample> samples_;
  const ScalingModel& model_;
  std::unique_ptr<const ScalingModel> fit_;
};

/// Doublings between two counts.
double doublings(std::int64_t one, std::int64_t other);

}  // namespace plimsoll::pelayout
