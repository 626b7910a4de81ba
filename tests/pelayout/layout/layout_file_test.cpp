#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include <plimsoll/pelayout/layout.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using ::testing::ElementsAre;

Layout parse(const std::string& yaml) {
  return parse_layout_file(yaml, "my.yaml");
}

TEST(LayoutFile, ReadsRulesForComponents) {
  const Layout layout = parse_layout_file(R"(
name: Mine
description: the ocean on a grid that likes powers of two
layout: ((ICE | LND) ; ATM) | OCN
overhead: 0.05
wait: 0.5
components:
  OCN: {power_of: 2, wait: 0.25}
  ice: {allowed: [320, 32, 160, 32]}
  LND: {multiple_of: 6, overhead: 0.1}
  ATM: {min: 64, max: 2048, blocksize: 16, spans: true}
)",
                                          "my.yaml");
  EXPECT_EQ(layout.name, "Mine");
  EXPECT_EQ(to_string(layout.expression), "((ICE | LND) ; ATM) | OCN");
  EXPECT_DOUBLE_EQ(layout.overhead, 0.05);
  EXPECT_DOUBLE_EQ(layout.wait, 0.5);
  EXPECT_EQ(layout.rule("ATM").block_size, 16);
  EXPECT_TRUE(layout.rule("ATM").spans);
  EXPECT_FALSE(layout.rule("OCN").spans);
  EXPECT_FALSE(layout.rule("ATM").admits(48));
  EXPECT_TRUE(layout.rule("ATM").admits(64));
  EXPECT_FALSE(layout.rule("ATM").admits(2064));
  EXPECT_TRUE(layout.rule("OCN").admits(1));
  EXPECT_TRUE(layout.rule("OCN").admits(64));
  EXPECT_FALSE(layout.rule("OCN").admits(96));
  EXPECT_DOUBLE_EQ(layout.rule("OCN").wait, 0.25);
  EXPECT_THAT(layout.rule("ICE").allowed, ElementsAre(32, 160, 320));
  EXPECT_TRUE(layout.rule("LND").admits(66));
  EXPECT_FALSE(layout.rule("LND").admits(64));
  EXPECT_TRUE(layout.rule("GLC").admits(1)) << "any count is allowed without a rule";
}

TEST(LayoutFile, RequiresOnlyExpression) {
  const Layout layout = parse_layout_file("layout: ATM | OCN", "my.yaml");
  EXPECT_EQ(layout.name, "ATM | OCN");
  EXPECT_TRUE(layout.rules.empty());
}

TEST(LayoutFile, ReportsPositionOfError) {
  EXPECT_ERROR(parse("name: Mine\n"), bad_input, "missing member \"layout\"");
  EXPECT_ERROR(parse("- 1\n- 2\n"), bad_input, "not a layout");
  EXPECT_ERROR(parse(""), bad_input, "not a layout");
  EXPECT_ERROR(parse("layout: [\n"), bad_input, "is not YAML");
  EXPECT_ERROR(parse("layout: " + std::string(100'000, '[')), bad_input, "my.yaml: is nested too deep");
  EXPECT_ERROR(parse("layout: ATM\n---\nlayout: OCN\n"), bad_input,
               "my.yaml:2: unexpected text after the end");
  EXPECT_ERROR(parse(std::string("layout: ATM\0", 12)), bad_input, "my.yaml:1: invalid character 0x00");
  EXPECT_ERROR(parse("layout: ATM | OCN\nlayuot: ATM\n"), bad_input, "my.yaml:2: unknown member");
  EXPECT_ERROR(parse("layout: ATM ; | OCN\n"), bad_input, "my.yaml:1: invalid layout: missing component");
  EXPECT_ERROR(parse("layout: ATM\nlayout: OCN\n"), bad_input, "my.yaml:2: duplicate member layout");
  EXPECT_ERROR(parse("layout: ATM\ncomponents: {OCN: {min: 8}}\n"), bad_input,
               "rules for unknown component OCN");
  EXPECT_ERROR(parse("layout: ATM\ncomponents:\n  ATM: {least: 8, most: 4}\n"), bad_input,
               "min (8) exceeds max (4)");
  EXPECT_ERROR(parse("layout: ATM\ncomponents:\n  ATM: {min: 8, least: 4}\n"), bad_input,
               "least are names of the same rule");
  EXPECT_ERROR(parse("layout: ATM\ncomponents:\n  ATM: {lest: 8}\n"), bad_input, "did you mean \"least\"?");
  for (const char* value : {"0", "-8", "1.5", "many", "[8]", "1000000001", "99999999999999999999"}) {
    SCOPED_TRACE(value);
    EXPECT_ERROR(parse(std::string("layout: ATM\ncomponents:\n  ATM:\n    fixed: ") + value + "\n"),
                 bad_input, "my.yaml:4: invalid value for fixed: must be an integer");
  }
  for (const char* value : {"-0.1", ".nan", ".inf", "1e31", "much"}) {
    SCOPED_TRACE(value);
    EXPECT_ERROR(parse(std::string("layout: ATM\noverhead: ") + value + "\n"), bad_input,
                 "my.yaml:2: invalid value for overhead");
  }
  EXPECT_ERROR(parse("layout: ATM\ncomponents: {ATM: {allowed: []}}\n"), bad_input,
               "invalid value for allowed: expected a list");
  EXPECT_ERROR(parse("layout: ATM | OCN\ncomponents: {ATM: {spans: true}}\n"), bad_input,
               "spans: ATM is not part of a sequence");
  EXPECT_ERROR(parse("layout: ATM ; OCN\ncomponents: {ATM: {spans: true}, OCN: {spans: true}}\n"), bad_input,
               "spans: OCN is not part of a sequence, or another component already spans that sequence");
  EXPECT_ERROR(parse("layout: ATM ; OCN\ncomponents: {ATM: {spans: maybe}}\n"), bad_input,
               "invalid value for spans: expected true or false");
  EXPECT_ERROR(parse("layout: ATM\ncomponents: {ATM: {power_of: 1}}\n"), bad_input,
               "invalid value for power_of: must be >= 2");
}

}  // namespace
}  // namespace plimsoll::pelayout
