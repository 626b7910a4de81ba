#include "runtime/recording/object_claims.hpp"

#include <gtest/gtest.h>

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

using enum ObjectClaim::Kind;

TEST(ObjectClaims, AcceptObjectsThatMove) {
  const ClaimFindings findings = check_claims({{7, registered, 1},
                                               {7, removed, 0},
                                               {7, mentioned, 2},
                                               {8, removed, 0},
                                               {8, mentioned, 1},
                                               {9, registered, 0},
                                               {9, removed, 0}});
  EXPECT_FALSE(findings.error(0));
  EXPECT_EQ(findings.warning(0), "");
}

TEST(ObjectClaims, NameLowestDuplicateAndItsRanks) {
  const ClaimFindings findings = check_claims({{9, registered, 0},
                                               {7, registered, 5},
                                               {7, mentioned, 0},
                                               {9, registered, 1},
                                               {7, registered, 3},
                                               {7, removed, 1},
                                               {7, registered, 4}});
  const auto error = findings.error(2);
  ASSERT_TRUE(error);
  EXPECT_EQ(
      std::string(error->what())
          .find(
              "object 7 is registered on rank 3 and on rank 4 at the end of phase 2, as are 1 more objects"),
      0U)
      << error->what();
}

TEST(ObjectClaims, NameThreeUnknownObjectsOfAllRanks) {
  ClaimFindings all;
  EXPECT_EQ(all.warning(0), "");
  merge_findings(all, check_claims({{9, mentioned, 0}, {5, mentioned, 1}, {5, mentioned, 0}}));
  EXPECT_NE(
      all.warning(4).find("messages in phase 4 have a sender or receiver that is not registered on any rank: "
                          "object 5, object 9; "),
      std::string::npos)
      << all.warning(4);
  merge_findings(all, check_claims({{6, mentioned, 0}, {11, mentioned, 1}, {1, registered, 1}}));
  EXPECT_NE(all.warning(4).find("object 5, object 6, object 9 and 1 more;"), std::string::npos)
      << all.warning(4);
  EXPECT_FALSE(all.error(4));
}

TEST(ObjectClaims, MergeDuplicatesOfSeveralRanks) {
  ClaimFindings all = check_claims({{9, registered, 0}, {9, registered, 1}});
  merge_findings(all, {});
  merge_findings(all, check_claims({{3, registered, 1}, {3, registered, 2}}));
  EXPECT_EQ(all.duplicates, 2U);
  EXPECT_EQ(all.first.id, 3U);
  EXPECT_EQ(all.second.rank, 2);
}

}  // namespace
}  // namespace plimsoll::runtime
