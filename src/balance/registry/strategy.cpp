#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

Score Strategy::score(const LDStats& /*stats*/, std::span<const std::int32_t> /*placement*/) const {
  return {};
}

}  // namespace plimsoll::balance
