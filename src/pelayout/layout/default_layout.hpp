#pragma once

#include <plimsoll/pelayout/layout.hpp>
#include <plimsoll/pelayout/problem.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Returns whether a component is cheap: at its best measured count, it took time, but less than 1 % of the
/// time that the longest component took at its best count.
bool is_cheap(const Problem& problem, const std::string& component);

/// Arranges components by the rules of CIME's driver: sea ice, land (then rivers) and waves run concurrently,
/// then the atmosphere, then all other components, and the coupler last; the ocean runs concurrently with all
/// of them. Processors for cheap components alone would be wasted, so the components in `cheap` run after the
/// atmosphere unless they follow another component that runs concurrently. `components` must not be empty.
LayoutExpression usual_arrangement(const std::vector<std::string>& components,
                                   const std::vector<std::string>& cheap = {});

/// Arranges components so that all of them run concurrently, as OASIS does. `components` must not be empty.
LayoutExpression concurrent_arrangement(const std::vector<std::string>& components);

/// Returns whether CIME's driver lets two components run concurrently; `pair` is sorted by name. The ocean
/// depends on no other component of the same step; sea ice, land and waves do not depend on each other.
bool driver_permits(const std::pair<std::string, std::string>& pair);

/// Returns the layout of a problem that specifies none. If only ICE, LND, ATM, OCN and possibly WAV took
/// time, and none of them is cheap, it is IceLndAtmOcn or IceLndWavAtmOcn, as in CIME's tool. Otherwise it
/// contains all components that took time, in their usual_arrangement(). For the components of E3SM, this is
/// the built-in layout E3SM. Components coupled by OASIS that took time run concurrently.
Layout default_layout(const Problem& problem);

}  // namespace plimsoll::pelayout
