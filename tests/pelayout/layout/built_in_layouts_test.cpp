#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/pelayout/layout.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

const std::vector<std::string> some{"ATM", "OCN", "GLC"};

TEST(FindLayout, FindsDocumentedLayouts) {
  EXPECT_EQ(to_string(find_layout("IceLndAtmOcn", some).expression), "((ICE | LND) ; ATM) | OCN");
  EXPECT_EQ(to_string(find_layout("IceLndWavAtmOcn", some).expression), "((LND | ICE | WAV) ; ATM) | OCN");
  EXPECT_EQ(to_string(find_layout("atm_lnd.AtmLnd", some).expression),
            "(ATM ; ROF ; CPL) | (LND ; ICE ; OCN)");
}

TEST(FindLayout, PutsAnyComponentsInSequence) {
  EXPECT_EQ(to_string(find_layout("Sequential", some).expression), "ATM ; OCN ; GLC");
  EXPECT_ERROR(find_layout("Sequential", {}), bad_input, "no components for the layout");
}

TEST(FindLayout, AcceptsExpression) {
  const Layout layout = find_layout("(atm;lnd)|ocn", some);
  EXPECT_EQ(layout.name, "(ATM ; LND) | OCN");
  EXPECT_TRUE(layout.rules.empty());
}

TEST(FindLayout, SuggestsNearestName) {
  EXPECT_ERROR(find_layout("IceLndAtmOcm", some), usage, "did you mean IceLndAtmOcn?");
}

}  // namespace
}  // namespace plimsoll::pelayout
