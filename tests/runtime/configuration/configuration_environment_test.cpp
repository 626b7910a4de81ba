// Settings from environment variables.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include <plimsoll/runtime/settings.hpp>

#include "runtime/configuration/configuration_test.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

TEST(ConfigurationEnvironment, IgnoresOtherVariables) {
  const Settings settings = from_environment({{"HOME", "/"},
                                              {"PLIMSOLL_TEST_RANKS", "2"},
                                              {"VT_LB_DATA", "1"},
                                              {"XPLIMSOLL_LB_DATA", "1"},
                                              {"plimsoll_lb_data", "1"}});
  EXPECT_FALSE(settings.lb_data);
}

TEST(ConfigurationEnvironment, RejectsSameErrorsAsArguments) {
  const auto refused = [](const std::string& name, const std::string& value, const std::string& what,
                          const std::string& suggestion) {
    expect_usage_error([&] { from_environment({{name, value}}); }, what, suggestion);
  };
  refused("PLIMSOLL_LB_DATA_DRI", "x", "unknown setting \"PLIMSOLL_LB_DATA_DRI\"", "PLIMSOLL_LB_DATA_DIR?");
  refused("PLIMSOLL_LB_data", "1", "unknown setting", "did you mean PLIMSOLL_LB_DATA?");
  refused("PLIMSOLL_LB_DATA", "", "invalid value \"\" for PLIMSOLL_LB_DATA", "use true or false");
  refused("PLIMSOLL_INPUT_CONFIG_YML", "x", "unknown setting", "did you mean PLIMSOLL_INPUT_CONFIG_YAML?");
}

TEST(ConfigurationEnvironment, ReadsEnvironmentOfProcess) {
  ASSERT_EQ(setenv("PLIMSOLL_LB_DATA_DIR", "a=b", 1), 0);
  Configuration configuration;
  configuration.take_environment();
  unsetenv("PLIMSOLL_LB_DATA_DIR");
  EXPECT_EQ(configuration.settings().lb_data_dir, "a=b");
}

}  // namespace
}  // namespace plimsoll::runtime
