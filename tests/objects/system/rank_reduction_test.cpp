// Reductions whose result a function on a rank receives.
#include <cereal/types/string.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <plimsoll/objects.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::int64_t> sums;  // results on this rank
std::vector<std::string> texts;

void keep_sum(ObjectSystem&, std::int64_t sum) {
  sums.push_back(sum);
}
void keep_text(ObjectSystem& system, std::string text) {
  std::ranges::sort(text);  // the order of the contributions varies
  texts.push_back("rank " + std::to_string(system.rank()) + ": " + text);
}

struct Summand : Element<Summand> {
  void add_to_rank(int rank) { contribute<&keep_sum, std::plus<>>(index()[0] + 1, rank); }
  void add_to_each_rank() {
    for (int rank = 0; rank < system().rank_count(); ++rank) add_to_rank(rank);
  }
  void add_to_differing_ranks() { add_to_rank(index()[0] == 0 ? 1 : 0); }
  void spell(int rank, const SectionId& section) {
    contribute<&keep_text, std::plus<>>(std::string(1, static_cast<char>('a' + index()[0])), rank, section);
  }
  template <class Archive>
  void serialize(Archive&) {}
};

class RankReductions : public ::testing::Test {
 protected:
  RankReductions() {
    sums.clear();
    texts.clear();
  }
  int last() const { return system.rank_count() - 1; }

  LoadRecorder recorder{MPI_COMM_WORLD, {.lb_quiet = true, .lb_check = true}};
  ObjectSystem system{recorder};
  Collection<Summand> summands{system, {.bounds = {{20}}, .map = round_robin_map}};
};

TEST_F(RankReductions, CallTheFunctionOnceOnTheRank) {
  summands.broadcast_collective<&Summand::add_to_rank>(last());
  system.run_until_quiet();
  if (system.rank() == last())
    EXPECT_THAT(sums, ElementsAre(20 * 21 / 2));
  else
    EXPECT_THAT(sums, IsEmpty());
}

TEST_F(RankReductions, ReachEachRank) {
  summands.broadcast_collective<&Summand::add_to_each_rank>();
  system.run_until_quiet();
  EXPECT_THAT(sums, ElementsAre(20 * 21 / 2));
}

TEST_F(RankReductions, FollowMigratedElements) {
  summands.for_each_local([&](Summand& summand) { summand.migrate_to(0); });
  system.next_phase();
  summands.broadcast_collective<&Summand::add_to_rank>(last());
  system.run_until_quiet();
  if (system.rank() == last()) {
    EXPECT_THAT(sums, ElementsAre(20 * 21 / 2));
  }
}

TEST_F(RankReductions, MergeTheMembersOfASection) {
  const auto section = summands.section({3}, {8});
  if (system.rank() == 0) section.broadcast<&Summand::spell>(last(), section.id());
  system.run_until_quiet();
  if (system.rank() == last())
    EXPECT_THAT(texts, ElementsAre("rank " + std::to_string(last()) + ": defgh"));
  else
    EXPECT_THAT(texts, IsEmpty());
}

TEST_F(RankReductions, RejectRanksThatDoNotExist) {
  summands.broadcast_collective<&Summand::add_to_rank>(system.rank_count());
  EXPECT_ERROR(system.run_until_quiet(), usage,
               "invalid rank " + std::to_string(system.rank_count()) + " for contribute()");
  EXPECT_THAT(sums, IsEmpty());
}

TEST_F(RankReductions, RejectContributionsToDifferentRanks) {
  if (system.rank_count() == 1) GTEST_SKIP() << "needs two ranks";
  summands.broadcast_collective<&Summand::add_to_differing_ranks>();
  EXPECT_ERROR(system.run_until_quiet(), usage, "contribute() is called for another reduction");
}

}  // namespace
}  // namespace plimsoll::objects
