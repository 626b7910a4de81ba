#pragma once

#include <span>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Strategy of another tool whose name Plimsoll does not use.
struct ForeignStrategy {
  std::string_view name;
  std::string_view tool;  ///< tool that has the strategy: "vt"
  std::string_view hint;  ///< replacement in Plimsoll: "use RefineLB"
};

/// Returns the known strategies of other tools. Sources: docs/how-to/coming-from-*.md.
std::span<const ForeignStrategy> foreign_strategies();

}  // namespace plimsoll::balance
