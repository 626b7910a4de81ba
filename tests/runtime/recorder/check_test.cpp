// Tests lb_check: objects on several ranks, and messages of unknown objects, are found in the phase in which
// they occur.

#include <gtest/gtest.h>

#include <plimsoll/runtime/balancer.hpp>

#include "runtime/recorder/recorder_test.hpp"
#include "runtime/recording/object_check.hpp"

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

namespace plimsoll::testing {
namespace {

class RecorderCheck : public RecorderRun {
 protected:
  Settings checked(const std::string& name = "data") {
    Settings its = settings(name);
    its.lb_check = true;
    its.sink = [this](std::string_view message) { said.emplace_back(message); };
    return its;
  }
  std::vector<std::string> said;
};

TEST_F(RecorderCheck, NamesObjectThatTwoRanksClaim) {
  if (count == 1) GTEST_SKIP() << "needs two ranks";
  LoadRecorder recorder(MPI_COMM_WORLD, checked());
  const ObjectId shared = runtime::object_id(0, 1000);
  for (int k = 0; k < 10; ++k) recorder.register_object();
  ObjectHandle object;
  if (rank == 0) object = recorder.register_object(shared, {});
  recorder.register_object_group();
  recorder.next_phase();
  if (rank == count - 1) object = recorder.register_object(shared, {});
  const auto error = error_of_next_phase(recorder);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::usage);
  EXPECT_EQ(std::string(error->what())
                .find("object 1000 of home rank 0 (ID " + std::to_string(static_cast<std::uint64_t>(shared)) +
                      ") is registered on rank 0 and on rank " + std::to_string(count - 1) +
                      " at the end of phase 1;"),
            0U)
      << error->what();
  EXPECT_EQ(error->what(), text_of_rank_0(error->what()));
  if (rank == 0) recorder.remove_object(object);
  EXPECT_EQ(recorder.next_phase().phase, 2);
  recorder.close();
}

// Without lb_check, a program that may balance finds duplicates of the first phase: on the home of the object
// and another rank, or on two other ranks.
TEST_F(RecorderCheck, FindsDuplicatesOfTheFirstPhaseBeforeTheyAreBalanced) {
  if (count == 1) GTEST_SKIP() << "needs two ranks";
  for (const int first : {0, 1}) {
    const int last = count - 1;
    if (first == last) continue;
    LoadRecorder recorder(MPI_COMM_WORLD, settings("first" + std::to_string(first)));
    Balancer balancer(recorder);
    const ObjectHandle own = recorder.register_object();
    recorder.register_object_group();
    if (rank == first || rank == last) recorder.register_object(runtime::object_id(0, 1000), {});
    const auto error = error_of_next_phase(recorder);
    ASSERT_TRUE(error);
    EXPECT_NE(std::string(error->what())
                  .find(" is registered on rank " + std::to_string(first) + " and on rank " +
                        std::to_string(last) + " at the end of phase 0;"),
              std::string::npos)
        << error->what();
    EXPECT_TRUE(recorder.find(recorder.id(own)));
    recorder.next_phase();  // only the first phase is checked
    recorder.close();
  }
}

TEST_F(RecorderCheck, AcceptsObjectsThatMigrate) {
  LoadRecorder recorder(MPI_COMM_WORLD, checked());
  const auto id_at = [&](int home) { return runtime::object_id((home + 2 * count) % count, 5); };
  ObjectHandle object = recorder.register_object({.number = 5});
  for (int phase = 0; phase < 2 * count; ++phase) {
    for (int other = 0; other < count; ++other) recorder.record_message(id_at(rank), id_at(other), 1);
    recorder.next_phase();
    recorder.remove_object(object);
    object = recorder.register_object(id_at(rank - phase - 1), {});
  }
  recorder.next_phase();
  recorder.close();
  EXPECT_EQ(said, std::vector<std::string>{});
  read();
}

TEST_F(RecorderCheck, WarnsAboutMessagesOfUnknownObjects) {
  for (const bool on : {true, false}) {
    said.clear();
    Settings its = checked(on ? "on" : "off");
    its.lb_check = on;
    LoadRecorder recorder(MPI_COMM_WORLD, its);
    const ObjectId mine = recorder.id(recorder.register_object());
    recorder.next_phase();
    recorder.record_message(mine, runtime::object_id(0, 77), 1);
    recorder.record_message(recorder.id(recorder.rank_object()), mine, 1);
    recorder.next_phase();
    recorder.record_message(mine, runtime::object_id(0, 77), 1);  // the same edge again
    recorder.next_phase();
    recorder.close();
    ASSERT_EQ(said.size(), on && rank == 0 ? 1U : 0U);
    const std::string unknown = std::to_string(static_cast<std::uint64_t>(runtime::object_id(0, 77)));
    for (const std::string& message : said)
      EXPECT_NE(
          message.find("messages in phase 1 have a sender or receiver that is not registered on any rank: "
                       "object 77 of home rank 0 (ID " +
                       unknown + ");"),
          std::string::npos)
          << message;
  }
}

}  // namespace
}  // namespace plimsoll::testing
