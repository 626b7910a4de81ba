// A plug-in with an undefined symbol.
#include <plimsoll/balance/plugin.hpp>

void part_that_is_missing();

struct Incomplete {
  static plimsoll::balance::StrategyInfo info() {
    part_that_is_missing();
    return {};
  }
};

PLIMSOLL_STRATEGY_PLUGIN(Incomplete)
