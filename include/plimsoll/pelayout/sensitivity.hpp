#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/pelayout/plan.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// How much a component matters at a solution. Times are in the unit of the costs.
struct ComponentSensitivity {
  std::string component;  ///< its name
  bool limiting = false;  ///< on a longest path: if it took longer, so would the layout
  double slack = 0;       ///< by how much its time may grow until the layout's does; 0 if it is limiting
  /// The layout's time less that with the next count that the component's rules admit, all others unchanged:
  /// > 0 if that helps, 0 if the component is not limiting or not alone in it, < 0 if it would be slower.
  double gain_of_block = 0;
  double share = 0;           ///< of the processor time of the total that it computes, 0..1
  bool extrapolated = false;  ///< its count lies outside what was measured
};

/// Another layout for the same data and total.
struct Alternative {
  std::string name;        ///< of a built-in layout; else a description of several words
  std::string expression;  ///< see parse_layout()
  Solution solution;       ///< its best one

  /// What find_layout() reads as this layout: its name if it has one, else its expression.
  const std::string& layout() const;
};

/// What can be said about a solution.
struct Sensitivity {
  std::vector<ComponentSensitivity> components;  ///< in the order of the solution's places
  /// Share of the processor time of the total in which nothing is computed, 0..1: waits for other components,
  /// the layout's own overhead and wait, processors left over. The coupling cost of CPMIP (Balaji et al., GMD
  /// 10, 19, 2017), (P T - sum of P_c T_c) / (P T).
  double idle = 0;
  /// The layout's best time with one block more in all, if there is a way and the total can still be solved.
  std::optional<double> one_block_more;
  std::optional<double> one_block_less;  ///< with one block less
  /// How many processors that is: the largest block of the components, since that many let any of them grow.
  std::int64_t block = 1;
  /// Other built-in layouts whose components are those of this one, and such in which parts run in sequence
  /// that run side by side here or there; with this layout's rules, by time. Those without a solution are
  /// left out.
  std::vector<Alternative> alternatives;
  /// There are alternatives, and between the best and the worst of all, this one included, lie less than 5 %.
  bool layout_hardly_matters = false;

  /// Names of the components that limit the layout's time, in the order of `components`.
  std::vector<std::string> limiting() const;
};

/// What limits a solution that the planner found for a total, and what would change it.
Sensitivity analyse(const Planner& planner, const Solution& solution, std::int64_t total);

}  // namespace plimsoll::pelayout
