#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <plimsoll/balance/limits.hpp>
#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

const std::filesystem::path pages = PLIMSOLL_DOCS_DIR "/reference/strategies";

std::string content(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool is_limit(const std::string& parameter) {
  return std::ranges::count(Limits::parameters(), parameter, &ParameterSpec::name) > 0;
}

TEST(StrategyPages, ListParametersAndAliasesOfEachStrategy) {
  for (const StrategyInfo& info : StrategyRegistry::builtin().list()) {
    const std::string page = content(pages / (info.name + ".md"));
    EXPECT_TRUE(page.starts_with("# " + info.name)) << info.name << " has no page in " << pages;
    for (const ParameterSpec& parameter : info.parameters)
      EXPECT_TRUE(is_limit(parameter.name) || has(page, '`' + parameter.name + '`'))
          << info.name << ".md does not name " << parameter.name;
    for (const StrategyAlias& alias : info.aliases)
      EXPECT_TRUE(has(page, alias.name)) << info.name << ".md does not name " << alias.name;
  }
}

TEST(StrategyPages, ListAllStrategiesAndCommonParametersInIndex) {
  const std::string index = content(pages / "README.md");
  for (const StrategyInfo& info : StrategyRegistry::builtin().list())
    EXPECT_TRUE(has(index, "| [" + info.name + "](" + info.name + ".md) |")) << info.name;
  for (const ParameterSpec& limit : Limits::parameters())
    EXPECT_TRUE(has(index, "| `" + limit.name + "` | " + to_string(limit.default_value) + " |"))
        << limit.name;
}

}  // namespace
}  // namespace plimsoll::balance
