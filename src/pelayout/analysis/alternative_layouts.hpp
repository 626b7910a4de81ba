#pragma once

#include <vector>

#include <plimsoll/pelayout/layout.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// Other layouts of a layout's components: the built-in ones that have the same, and of these and of the
/// layout itself those in which parts run in sequence that run side by side there, one group or all of them.
/// That is always possible, whatever the components need of each other; the reverse is not. Each different
/// arrangement once; those without a name are called by their expression. All have the rules, overhead and
/// wait of the layout. For ICE, LND, ATM and OCN they are the three of HSLB (Alexeev et al., IPDPSW 2014),
/// and one more.
std::vector<Layout> alternative_layouts(const Layout& layout);

}  // namespace plimsoll::pelayout
