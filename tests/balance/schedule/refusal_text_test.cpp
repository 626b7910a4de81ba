#include <gtest/gtest.h>

#include <plimsoll/balance/internal/refusal_text.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using enum Refusal::Reason;

TEST(RefusalText, NamesPriceAndVolume) {
  const lbdata::NotBalanced reason = describe({.reason = price,
                                               .gain_s = 3.1e-3,
                                               .phases = 10,
                                               .price_s = 40e-3,
                                               .volume = {.objects = 2, .bytes = 200e6}},
                                              false);
  EXPECT_EQ(reason.reason, "price");
  EXPECT_EQ(
      reason.text,
      "a gain of 3.10 ms per phase over 10 phases is less than the price of 40.0 ms (2 objects, 190.7 MiB on "
      "one rank)");
  EXPECT_EQ(reason.numbers.at("gain"), 3.1e-3);
  EXPECT_EQ(reason.numbers.at("phases"), 10);
  EXPECT_EQ(reason.numbers.at("price"), 40e-3);
  EXPECT_EQ(reason.numbers.at("bytes"), 200e6);
}

TEST(RefusalText, TellsHowToMeasureBesideOtherProcesses) {
  const Refusal noise{.reason = uncertain, .max_load_s = 31e-3, .assured_load_s = 24e-3, .bound_s = 25e-3};
  EXPECT_EQ(
      describe(noise, false).text,
      "noise may explain the imbalance: of the maximum load of 31.0 ms, 24.0 ms are sure; no placement is "
      "below 25.0 ms");
  EXPECT_TRUE(describe(noise, true).text.ends_with("--vt_lb_loads=cpu measures without them"));
}

TEST(RefusalText, GivesEachReasonANameAndASentence) {
  for (const auto reason :
       {first_phases, even, heaviest_object, uncertain, decision, no_placement, price, budget}) {
    const lbdata::NotBalanced described = describe({.reason = reason}, false);
    EXPECT_NE(described.reason, "");
    EXPECT_NE(described.text, "");
    EXPECT_FALSE(described.text.ends_with('.')) << "the text is part of a sentence";
  }
}

TEST(RefusalText, StatesTheWaitAfterARefusal) {
  const lbdata::NotBalanced reason =
      describe({.reason = budget, .phases_to_wait = 4, .awaited_gain_s = 2e-3}, false);
  EXPECT_EQ(reason.numbers.at("phases_to_wait"), 4);
  EXPECT_EQ(reason.numbers.at("awaited_gain"), 2e-3);
}

}  // namespace
}  // namespace plimsoll::balance
