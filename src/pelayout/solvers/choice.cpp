#include "pelayout/solvers/choice.hpp"

#include <algorithm>

#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

std::size_t entry_of(const CostTable& table, std::int64_t processors) {
  const auto found = std::ranges::lower_bound(table.processors, processors);
  PLIMSOLL_EXPECT(found != table.processors.end() && *found == processors);
  return static_cast<std::size_t>(found - table.processors.begin());
}

}  // namespace plimsoll::pelayout
