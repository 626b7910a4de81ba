#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/pelayout/plan.hpp>

namespace plimsoll::pelayout {

/// How much a component matters at a solution.
struct ComponentSensitivity {
  std::string component;
  bool limiting = false;  ///< on the longest path: if it took longer, so would the layout
  double slack = 0;       ///< by how much its time may grow until the layout's does
  double gain_of_block =
      0;  ///< the layout's time less that with one more block for it, others unchanged (>= 0 useful)
  double share = 0;           ///< of the layout's processor time that it computes, 0..1
  bool extrapolated = false;  ///< its count lies outside what was measured
};

/// Another layout for the same data and total.
struct Alternative {
  std::string name;
  std::string expression;
  Solution solution;
};

/// What can be said about a solution.
struct Sensitivity {
  std::vector<ComponentSensitivity> components;  ///< in the order of the solution's places
  double idle = 0;  ///< share of the processors' time in which they wait, 0..1 (coupling cost)
  std::optional<double> one_block_more;  ///< the layout's best time with one block more in all
  std::optional<double> one_block_less;
  std::int64_t block = 1;  ///< how many processors that is
  std::vector<Alternative>
      alternatives;  ///< other built-in layouts whose components are those of this one, by time
  bool layout_hardly_matters = false;  ///< even the worst of them is less than 5 % slower
};

Sensitivity analyse(const Planner& planner, const Solution& solution, std::int64_t total);

}  // namespace plimsoll::pelayout
