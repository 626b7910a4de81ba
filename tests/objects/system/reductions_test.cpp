// Reductions whose result a function on a rank receives, and reductions to which the wrong elements
// contribute. None gives a wrong result.

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

namespace {

struct Addend : Element<Addend> {
  std::int64_t total = 0;
  int totals = 0;

  Addend() = default;
  /// Contributes at once.
  explicit Addend(int value) { contribute<&Addend::keep, std::plus<>>(value, collection()[{0}]); }
  void keep(std::int64_t sum) {
    total = sum;
    ++totals;
  }
  void add() { contribute<&Addend::keep, std::plus<>>(index()[0] + 1, collection()[{0}]); }
  void add_to(const SectionId& section) {
    contribute<&Addend::keep, std::plus<>>(index()[0] + 1, collection()[{0}], section);
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(total, totals);
  }
};

class ReductionErrors : public ::testing::Test {
 protected:
  bool is_first() const { return system.rank() == 0; }
  /// Expects that the sum over all elements is right, in a new run.
  void expect_sum(Collection<Addend>& addends, std::int64_t expected) {
    addends.for_each_local([](Addend& addend) { addend.totals = 0; });
    if (is_first()) addends.broadcast<&Addend::add>();
    system.run_until_quiet();
    if (const Addend* const first = addends.find({0})) {
      EXPECT_EQ(first->total, expected);
      EXPECT_EQ(first->totals, 1);
    }
  }

  LoadRecorder recorder{MPI_COMM_WORLD, {.lb_quiet = true, .lb_check = true}};
  ObjectSystem system{recorder};
};

TEST_F(ReductionErrors, NewElementsContribute) {
  Collection<Addend> addends(system, {.bounds = {{8}}, .is_dense = false, .map = block_map});
  for (std::int64_t k = 0; k < 7; ++k)
    if (is_first()) addends.insert({k});
  if (is_first()) addends.broadcast<&Addend::add>();
  EXPECT_ERROR(system.run_until_quiet(), usage, "of \"elements\" contributes to a reduction");
  expect_sum(addends, 28);
  if (is_first()) addends.insert({7}, 5);
  EXPECT_ERROR(system.run_until_quiet(), usage,
               "element (7) of \"elements\" contributes to a reduction over its collection, but was created");
}

TEST_F(ReductionErrors, ConstructorsContribute) {
  EXPECT_ERROR(Collection<Addend>(system, {.bounds = {{8}}}, 1), usage,
               "contributes to a reduction over its collection, but was created");
}

TEST_F(ReductionErrors, MigratedElementsAreNotNew) {
  Collection<Addend> addends(system, {.bounds = {{8}}});
  addends.for_each_local(
      [&](Addend& addend) { addend.migrate_to((system.rank() + 1) % system.rank_count()); });
  system.next_phase();
  expect_sum(addends, 36);
}

TEST_F(ReductionErrors, OthersContributeInPlaceOfMembers) {
  Collection<Addend> addends(system, {.bounds = {{8}}});
  const auto section = addends.section({0}, {4});
  if (is_first()) {
    for (const std::int64_t k : {0, 1, 2, 6}) addends[{k}].send<&Addend::add_to>(section.id());
  }
  EXPECT_ERROR(system.run_until_quiet(), usage, "other elements than its members contribute");
  if (const Addend* const first = addends.find({0})) {
    EXPECT_EQ(first->totals, 0);
  }
  expect_sum(addends, 36);
}

TEST_F(ReductionErrors, OthersContributeToo) {
  Collection<Addend> addends(system, {.bounds = {{8}}});
  const auto section = addends.section({0}, {4});
  if (is_first()) addends.broadcast<&Addend::add_to>(section.id());
  EXPECT_ERROR(system.run_until_quiet(), usage, "reduction");
  if (is_first()) section.broadcast<&Addend::add_to>(section.id());
  system.run_until_quiet();
  if (const Addend* const first = addends.find({0})) {
    EXPECT_EQ(first->total, 10);
  }
}

TEST_F(ReductionErrors, NameTheCollectionAndCountContributions) {
  Collection<Addend> others(system, {.bounds = {{3}}, .name = "others"});
  Collection<Addend> addends(system, {.bounds = {{8}}, .map = round_robin_map, .name = "addends"});
  const auto section = addends.section({1}, {6});
  if (is_first())
    for (const std::int64_t k : {0, 1, 2, 5, 7}) addends[{k}].send<&Addend::add>();
  EXPECT_ERROR(
      system.run_until_quiet(), usage,
      "phase 0: no message is left, but a reduction is incomplete: 5 of 8 elements of \"addends\" have "
      "contributed; call contribute() once in all elements of the collection");
  if (is_first()) {
    addends.broadcast<&Addend::add>();  // the first reduction is complete, the second is not
    addends[{3}].send<&Addend::add>();
  }
  EXPECT_ERROR(system.run_until_quiet(), usage,
               "incomplete: 1 of 8 elements of \"addends\" have contributed");
  if (is_first())
    for (const std::int64_t k : {1, 2, 3, 5}) addends[{k}].send<&Addend::add_to>(section.id());
  EXPECT_ERROR(
      system.run_until_quiet(), usage,
      "incomplete: 4 of 5 elements of a section of \"addends\" have contributed; call contribute() once in "
      "all members of the section");
  expect_sum(addends, 36);
}

TEST_F(ReductionErrors, CountTheElementsOfTheReduction) {
  Collection<Addend> addends(system, {.bounds = {{8}}});
  addends.for_each_local([&](Addend& addend) {
    if (addend.index()[0] != 4) addend.add();
  });
  if (Addend* const last = addends.find({4})) last->destroy();  // after the reduction has begun
  EXPECT_ERROR(system.run_until_quiet(), usage, "incomplete: 7 of 8 elements of \"elements\"");
}

void run_on_rank(ObjectSystem& system) {
  system.run_until_quiet();
}

TEST_F(ReductionErrors, FunctionsOnRanksRun) {
  if (is_first()) system.send_to_rank<&run_on_rank>(system.rank_count() - 1);
  EXPECT_ERROR(system.run_until_quiet(), usage, "is called by an element or by a function on a rank");
}

}  // namespace
}  // namespace plimsoll::objects
