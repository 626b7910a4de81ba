#pragma once

#include <plimsoll/pelayout/layout.hpp>
#include <plimsoll/pelayout/timing_file.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Returns alternatives to a layout: built-in layouts with the same components, the usual arrangement of
/// these components (see usual_arrangement()), and variants of these and of the layout itself. In a variant,
/// one group or all groups of concurrent parts run in sequence. Running parts in sequence is always valid,
/// regardless of dependencies between components; the reverse is not: components run concurrently only if
/// they do in the given layout, or if CIME's driver permits it. Each arrangement is returned once. Layouts
/// without a name are named by their expression. All alternatives have the rules, overhead and wait of the
/// given layout. For ICE, LND, ATM and OCN, the result contains the three layouts of HSLB (Alexeev et al.,
/// IPDPSW 2014) and one more. OASIS permits only one arrangement: all components run concurrently.
std::vector<Layout> alternative_layouts(const Layout& layout, Coupler coupler = Coupler::driver);

}  // namespace plimsoll::pelayout
