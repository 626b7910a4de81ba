#include <plimsoll/balance/plugin.hpp>
#include <plimsoll/zoltan/zoltan_lb.hpp>

namespace {

struct ZoltanPlugin {
  static plimsoll::balance::StrategyInfo info() { return plimsoll::zoltan::zoltan_lb(); }
};

}  // namespace

PLIMSOLL_STRATEGY_PLUGIN(ZoltanPlugin)
