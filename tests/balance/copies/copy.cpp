// A library with its own copy of Plimsoll that exports only COPY().
#include "balance/copies/copy.hpp"

#include <plimsoll/balance.hpp>
#include <plimsoll/lbdata.hpp>

extern "C" __attribute__((visibility("default"))) plimsoll::testing::CopyAnswer COPY() {
  using namespace plimsoll;
  const lbdata::Dataset dataset = lbdata::generate({.phases = 1, .law = lbdata::LoadLaw::ramp});
  const balance::Decision decision =
      decide(dataset, balance::StrategySpec::parse("RefineLB(tolerance=1.02)"), {});
  return {.imbalance = decision.result.quality.imbalance,
          .function = reinterpret_cast<const void*>(&balance::StrategySpec::parse),
          .real_bytes = sizeof(balance::LBRealType)};
}
