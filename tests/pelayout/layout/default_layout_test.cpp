#include "pelayout/layout/default_layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <plimsoll/pelayout/layout.hpp>

#include "common/throws_error.hpp"
#include "pelayout/models/example_data.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

/// Returns a problem with components that took `seconds`; the names may contain a model: "ATM=EAM".
Problem problem_of(const std::vector<std::pair<std::string, double>>& times) {
  Problem problem;
  for (const auto& [text, seconds] : times) {
    const std::string name = text.substr(0, text.find('='));
    problem.components.push_back(testing::measured(name, {8, 16}, {seconds, seconds}));
    if (name != text) problem.components.back().model = text.substr(name.size() + 1);
  }
  return problem;
}

std::string expression(const std::vector<std::pair<std::string, double>>& times) {
  return to_string(default_layout(problem_of(times)).expression);
}

TEST(DefaultLayout, IsThatOfCimeForItsComponents) {
  EXPECT_EQ(default_layout(problem_of({{"ATM", 4}, {"LND", 1}, {"ICE", 1}, {"OCN", 2}})).name,
            "IceLndAtmOcn");
  EXPECT_EQ(default_layout(problem_of({{"ATM", 4}, {"LND", 1}, {"ICE", 1}, {"OCN", 2}, {"WAV", 1}})).name,
            "IceLndWavAtmOcn");
  EXPECT_EQ(default_layout(problem_of({{"ATM", 4}, {"LND", 1}, {"ICE", 0}, {"OCN", 2}, {"WAV", 0}})).name,
            "IceLndAtmOcn");
}

// Separate programs cannot run in sequence on the same ranks, not even a cheap one.
TEST(DefaultLayout, IsConcurrentWithOasis) {
  Problem problem = problem_of({{"OPENIFS", 10}, {"OCEANX", 8}, {"RNFMAPPER", 0.01}, {"XIOS_X", 0}});
  problem.coupler = Coupler::oasis;
  EXPECT_EQ(default_layout(problem).name, "OPENIFS | OCEANX | RNFMAPPER");
}

TEST(DefaultLayout, ContainsAllComponentsThatTookTime) {
  EXPECT_EQ(expression({{"CPL", 1},
                        {"ATM", 4},
                        {"LND", 1},
                        {"ICE", 1},
                        {"OCN", 2},
                        {"ROF", 1},
                        {"GLC", 0},
                        {"WAV", 1},
                        {"ESP", 0}}),
            "((ICE | (LND ; ROF) | WAV) ; ATM ; CPL) | OCN");
  EXPECT_EQ(expression({{"CPL", 1}, {"ATM", 4}, {"LND", 1}, {"ICE", 1}, {"OCN", 2}, {"GLC", 1}}),
            "((ICE | LND) ; ATM ; GLC ; CPL) | OCN");
  EXPECT_EQ(expression({{"CPL", 1}, {"ATM", 4}, {"LND", 1}, {"ICE", 0}, {"OCN", 2}}),
            "(LND ; ATM ; CPL) | OCN");
}

TEST(DefaultLayout, NeedsNoOceanNorIce) {
  EXPECT_EQ(expression({{"CPL", 1}, {"ATM", 4}, {"LND", 9}, {"ICE", 0}, {"OCN", 0}, {"ROF", 1}}),
            "LND ; ROF ; ATM ; CPL");
  EXPECT_EQ(expression({{"ATM", 4}, {"OCN", 1}}), "ATM | OCN");
  EXPECT_EQ(expression({{"LND", 4}}), "LND");
}

TEST(DefaultLayout, RunsNegligibleOceanInSequence) {
  EXPECT_EQ(expression({{"CPL", 1}, {"ATM", 4}, {"LND", 1}, {"ICE", 1}, {"OCN", 0.039}}),
            "(ICE | LND) ; ATM ; OCN ; CPL");
  EXPECT_EQ(expression({{"CPL", 1}, {"ATM", 4}, {"LND", 1}, {"ICE", 1}, {"OCN", 0.041}}),
            "((ICE | LND) ; ATM ; CPL) | OCN");
}

TEST(DefaultLayout, IsThatOfE3smForItsModels) {
  const std::vector<std::pair<std::string, double>> times = {
      {"CPL", 1}, {"ATM=EAM", 4}, {"LND=ELM", 1}, {"ICE=MPASSI", 1}, {"OCN=MPASO", 2}, {"ROF=MOSART", 1}};
  EXPECT_EQ(default_layout(problem_of(times)).name, "E3SM");
  EXPECT_NE(
      default_layout(problem_of({{"CPL", 1}, {"ATM=CAM", 4}, {"LND", 1}, {"ICE", 1}, {"OCN", 2}, {"ROF", 1}}))
          .name,
      "E3SM");
}

}  // namespace

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
