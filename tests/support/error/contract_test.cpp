#include <plimsoll/support/contract.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {
namespace {

int half_of_even(int number) {
  PLIMSOLL_EXPECT(number % 2 == 0);
  return number / 2;
}

#ifdef PLIMSOLL_CONTRACTS
TEST(Contract, EndsProgramAndNamesPlaceFunctionAndCondition) {
  EXPECT_DEATH(half_of_even(3),
               "contract_test\\.cpp:9: in int .*half_of_even\\(int\\): "
               "EXPECT\\(number % 2 == 0\\) does not hold \\(a bug in Plimsoll\\)");
}
#else
TEST(Contract, CostsNothingInBuildsWithoutContracts) {
  EXPECT_EQ(half_of_even(3), 1);
}
#endif

}  // namespace
}  // namespace plimsoll::support
