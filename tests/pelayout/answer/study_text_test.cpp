#include <gtest/gtest.h>

#include <limits>

#include <plimsoll/pelayout/internal/study_text.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

TEST(StudyText, PrintsAtLeastThreeSignificantDigits) {
  EXPECT_EQ(figure(1234.5), "1,235");
  EXPECT_EQ(figure(27.44), "27.4");
  EXPECT_EQ(figure(9.891), "9.89");
  EXPECT_EQ(figure(0.03829), "0.0383");
  EXPECT_EQ(figure(0), "0.00");
  EXPECT_EQ(figure(std::numeric_limits<double>::infinity()), "-");
}

TEST(StudyText, JoinsWordsIntoEnumeration) {
  EXPECT_EQ(enumeration({}), "");
  EXPECT_EQ(enumeration({"ATM"}), "ATM");
  EXPECT_EQ(enumeration({"ATM", "ICE", "OCN"}), "ATM, ICE and OCN");
}

}  // namespace
}  // namespace plimsoll::pelayout
