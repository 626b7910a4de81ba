#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands/layout/solve.hpp"
#include "cli/json.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(LayoutHelp, GroupsOptions) {
  const std::string solve_help = solve({"--help"}).out;
  EXPECT_THAT(solve_help,
              AllOf(HasSubstr("\n\nData:\n"), HasSubstr("\n\nQuestion:\n"), HasSubstr("\n\nAnswer:\n")));
  const std::string submit_help = run_plimsoll({"layout", "submit", "--help"}).out;
  EXPECT_THAT(submit_help,
              AllOf(HasSubstr("\n\nCases:\n"), HasSubstr("\n\nCIME:\n"), HasSubstr("\n\nRun:\n")));
  EXPECT_THAT(solve_help + submit_help, Not(HasSubstr("\n\n\n")));
}

TEST(LayoutList, ListsLayouts) {
  const Outcome outcome = run_plimsoll({"layout", "list"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("IceLndAtmOcn     ((ICE | LND) ; ATM) | OCN"), HasSubstr("Sequential")));
  const Json json(run_plimsoll({"layout", "list", "--json"}).out);
  EXPECT_EQ(json.text("/layouts/0/name"), "IceLndAtmOcn");
  EXPECT_EQ(json.size("/layouts/0/components"), 4U);
}

}  // namespace
}  // namespace plimsoll::testing
