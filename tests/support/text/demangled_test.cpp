#include <gtest/gtest.h>

#include <typeinfo>
#include <utility>

#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {
namespace {

TEST(Demangled, ReturnsNamesAsInCpp) {
  EXPECT_EQ(demangled(typeid(std::pair<int, char>).name()), "std::pair<int, char>");
  EXPECT_EQ(demangled("_ZN4Cell7receiveEi"), "Cell::receive(int)");
}

TEST(Demangled, ReturnsOtherNamesUnchanged) {
  EXPECT_EQ(demangled("main"), "main");
  EXPECT_EQ(demangled("_Znot_mangled"), "_Znot_mangled");
  EXPECT_EQ(demangled(""), "");
}

}  // namespace
}  // namespace plimsoll::support
