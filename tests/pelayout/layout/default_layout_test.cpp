#include "pelayout/layout/default_layout.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

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
}  // namespace plimsoll::pelayout
