#pragma once

#include <plimsoll/pelayout/layout.hpp>
#include <plimsoll/pelayout/problem.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Arranges components by the rules of CIME's driver: sea ice, land (then rivers) and waves run concurrently,
/// then the atmosphere, then all other components, and the coupler last; the ocean runs concurrently with all
/// of them, unless `concurrent_ocean` is false. `components` must not be empty.
LayoutExpression usual_arrangement(const std::vector<std::string>& components, bool concurrent_ocean = true);

/// Returns the layout of a problem that specifies none. If only ICE, LND, ATM, OCN and possibly WAV took
/// time, it is IceLndAtmOcn or IceLndWavAtmOcn, as in CIME's tool. Otherwise it contains all components that
/// took time, in their usual_arrangement(). An ocean that always took less than 1 % of the atmosphere's time,
/// such as a data ocean, would waste the tasks that it does not share, so it runs in sequence. For the
/// components of E3SM, this is the built-in layout E3SM.
Layout default_layout(const Problem& problem);

}  // namespace plimsoll::pelayout
