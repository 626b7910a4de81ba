#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/pelayout/prediction.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Effect of a component on the time of a solution. Times are in the unit of the costs.
struct ComponentSensitivity {
  std::string component;  ///< component name
  bool limiting = false;  ///< whether it is on the critical path: if it took longer, so would the layout
  double slack = 0;  ///< maximum increase of its time that does not change the layout's time; 0 if limiting
  /// The layout's time minus its time with the component's next allowed count, all others unchanged. > 0: the
  /// next count is faster; 0: the component is not limiting, or not the only limiting one; < 0: it is slower.
  double gain_of_block = 0;
  /// Time for which its processors wait for concurrent parts. If the part has several components, the one
  /// with the most processors has its wait. In a study that keeps an own layout, OwnLayout::waiting.
  double waiting = 0;
  double share = 0;           ///< fraction of the total's processor time in which it computes, 0..1
  bool extrapolated = false;  ///< whether its count lies outside the measured range
};

/// Another layout for the same data and total.
struct Alternative {
  std::string name;        ///< name of a built-in layout, or a layout expression
  std::string expression;  ///< layout expression; see parse_layout()
  Solution solution;       ///< solution of minimum expected time
  ExpectedTime expected;   ///< time that it is expected to take, like the first line of a study

  /// Returns the string with which find_layout() finds this layout: its name if it is built in, otherwise its
  /// expression.
  const std::string& layout() const;
};

/// Analysis of a solution.
struct Sensitivity {
  std::vector<ComponentSensitivity> components;  ///< components in the order of the solution's places
  /// Fraction of the total's processor time without computation, 0..1: waits for other components, overhead
  /// and wait of the layout, unused processors. This is the coupling cost of CPMIP (Balaji et al., GMD 10,
  /// 19, 2017): (P T - sum of P_c T_c) / (P T).
  double idle = 0;
  /// Best time of the layout with one additional block, by the models. Empty if infeasible, or if the larger
  /// total cannot be solved.
  std::optional<double> one_block_more;
  std::optional<double> one_block_less;  ///< best time with one block fewer
  /// Number of processors in the block that is added or removed. It is the largest block of the components,
  /// so that any component can grow.
  std::int64_t block = 1;
  /// Alternative layouts with this layout's rules, sorted by expected time. They are the other built-in
  /// layouts with the same components, their usual arrangement, and variants of all these layouts in which
  /// concurrent parts run in sequence. Layouts without a solution are omitted.
  std::vector<Alternative> alternatives;
  /// Sequential coupling cost: the relative increase of the time if all components run in sequence on all
  /// processors, instead of in the best layout with concurrent parts, both by the models. Negative if the
  /// sequence is faster; empty unless both have a solution. In Tinto Prims et al. (EGUsphere 2026-1661), the
  /// metric counts the additional resources for equal times; this one counts time on equal resources.
  std::optional<double> sequential_cost;
  /// Whether alternatives exist, and the expected times of all layouts, including this one, differ by less
  /// than 5 %.
  bool layout_hardly_matters = false;

  /// Lists the limiting components in the order of `components`.
  std::vector<std::string> limiting() const;
};

/// Finds the limiting components of a solution, and possible improvements. The planner must have found the
/// solution for `total` tasks or processors, or one of `runs` took place with it. `runs` calibrate the
/// expected times of layouts.
Sensitivity analyse(const Planner& planner, const Solution& solution, std::int64_t total,
                    std::span<const TimingFile> runs = {});

}  // namespace plimsoll::pelayout
