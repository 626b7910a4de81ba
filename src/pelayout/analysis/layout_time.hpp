#pragma once

#include <map>
#include <string>

#include <plimsoll/pelayout/layout.hpp>
#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// What each component takes.
using ComponentCosts = std::map<std::string, double>;

ComponentCosts costs(const Solution& solution);

/// The time of a layout whose components, all of which are in `costs`, take that long; the layout's overhead
/// and wait included.
double layout_time(const Layout& layout, const ComponentCosts& costs);

/// By how much each component alone may take longer until the layout does; 0 on a longest path, also where
/// two paths are equally long but for rounding. O(components x depth).
ComponentCosts slack(const LayoutExpression& expression, const ComponentCosts& costs);

}  // namespace plimsoll::pelayout
