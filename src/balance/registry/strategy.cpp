#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::inline v0_1::balance {

Score Strategy::score(const LDStats& /*stats*/, std::span<const std::int32_t> /*placement*/) const {
  return {};
}

}  // namespace plimsoll::balance
