// A plug-in whose build does not match the program that loads it. Its name, the macro PLUGIN, states the
// difference. The plug-in other_real_type links another variant of plimsoll::balance. The program must not
// call the plug-in's info().
#include <cstdlib>

#include <plimsoll/balance/plugin.hpp>

using namespace plimsoll::balance;

struct NeverCalled {
  static StrategyInfo info() { std::abort(); }
};

extern "C" __attribute__((visibility("default"))) const StrategyPlugin* plimsoll_strategy_plugin() {
  static StrategyPlugin plugin = strategy_plugin<NeverCalled>();
  const std::string difference = PLUGIN;
  if (difference == "no_description") return nullptr;
  if (difference == "other_version") plugin = {.interface_version = 99};
  if (difference == "other_abi") plugin.abi = "another compiler";
  if (difference == "other_size") ++plugin.sizes[2].size_bytes;
  return &plugin;
}
