// A plug-in with an invalid info(). Its name, the macro PLUGIN, states the defect.
#include <stdexcept>

#include <plimsoll/balance/plugin.hpp>

using namespace plimsoll::balance;

struct BadInfo {
  static StrategyInfo info() {
    const std::string defect = PLUGIN;
    StrategyInfo info = {"FooLB", "cannot be created", {}, [](const Parameters&) { return nullptr; }};
    if (defect == "info_throws_exception") throw std::runtime_error("cannot describe it");
    if (defect == "info_throws_anything") throw 7;
    if (defect == "info_without_name") info.name.clear();
    if (defect == "info_without_make") info.make = nullptr;
    if (defect == "info_with_text_as_limit") info.parameters = {{"max_moves", std::string(), ""}};
    return info;
  }
};

PLIMSOLL_STRATEGY_PLUGIN(BadInfo)
