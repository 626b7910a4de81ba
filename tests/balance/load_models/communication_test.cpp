// Tests models that use messages. The numbers in MatchesNumbersOfVt are from the tests of vt.
#include <gtest/gtest.h>

#include "balance/load_models/model_factory.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance::testing {
namespace {

using lbdata::CommCategory;

/// One object of 150 s on rank 0, and two others on rank 1.
class Messages : public ::testing::Test {
 protected:
  Messages() {
    factory.task_with_subphases(1, 150, {15, 135});
    factory.task(1, 2, 1);
    factory.task(1, 3, 1);
  }
  const LoadModel& model(const std::string& text) { return factory.use(make_load_model(text)); }
  double load_s(const std::string& text, PhaseOffset when = next_phase) {
    return model(text).load_s(0, when);
  }
  HistoryFactory factory{2};
};

class PhaseMessages : public Messages {
 protected:
  PhaseMessages() {
    factory.messages(0, 2, 1, 20, 2);
    factory.messages(0, 3, 1, 5, 5);
  }
};

class SubphaseMessages : public Messages {
 protected:
  SubphaseMessages() {
    factory.messages(0, 2, 1, 500, 50);
    factory.messages(0, 3, 1, 25, 10);
  }
};

TEST_F(PhaseMessages, HaveSameCostsAsInVt) {
  EXPECT_EQ(load_s("CommOverhead(per_message=3, per_byte=5)"), 296);
  EXPECT_EQ(model("WeightedMessages(per_message=3, per_byte=5)").communication(0, next_phase), 146);
  EXPECT_DOUBLE_EQ(load_s("WeightedMessages | WeightedCommunicationVolume(alpha=0.8, beta=0.2)"), 125);
}

TEST_F(SubphaseMessages, HaveSameCostsAsInVt) {
  const PhaseOffset first = next_phase.of(0);
  EXPECT_DOUBLE_EQ(load_s("CommOverhead(per_message=3, per_byte=5)", first), 295.5);
  EXPECT_DOUBLE_EQ(model("WeightedMessages(per_message=3, per_byte=5)").communication(0, first), 280.5);
  EXPECT_DOUBLE_EQ(load_s("WeightedMessages | WeightedCommunicationVolume(alpha=0.8, beta=0.2)", first),
                   22.5);
}

TEST_F(PhaseMessages, AreCountedInCompletedAndFuturePhases) {
  const LoadModel& messages = model("WeightedMessages");
  EXPECT_EQ(messages.communication(0, {.phases = -1}), 25);
  EXPECT_EQ(messages.communication(0, {.phases = 4}), 25);
  EXPECT_EQ(messages.communication(0, {.phases = -2}), 0);
  EXPECT_EQ(load_s("NaivePersistence"), 150);
  EXPECT_EQ(model("NaivePersistence").communication(0, next_phase), 0);
}

TEST_F(Messages, AreCountedOnlyBetweenRanks) {
  factory.messages(1, 2, 3, 1000, 1);                            // both on rank 1
  factory.messages(0, 1, 1, 1000, 1);                            // to itself
  factory.messages(0, 2, 1, 10, 1, 0, CommCategory::Broadcast);  // not SendRecv
  factory.messages(1, 1, 2, 7, 1);                               // sent
  factory.messages(0, 99, 1, 1000, 1);                           // sent by an unknown object
  factory.edge(0, factory.other("node", 1), factory.object(1), 3, CommCategory::NodeToCollection);
  factory.edge(0, factory.other("node", 0), factory.object(1), 1000, CommCategory::NodeToCollection);
  factory.edge(0, factory.other("node", 2), factory.object(1), 1000, CommCategory::NodeToCollection);
  factory.edge(0, factory.other("shared_id", 1), factory.object(1), 1000, CommCategory::ReadOnlyShared);
  EXPECT_EQ(load_s("CommOverhead(per_message=0, per_byte=1)"), 163);
  EXPECT_EQ(model("WeightedMessages").communication(0, next_phase), 7);  // more sent than received
  EXPECT_EQ(model("WeightedMessages").communication(1, next_phase), 7);  // received by the other object
}

TEST_F(Messages, UseRankOfObjectInEachPhase) {
  factory.task(0, 1, 1, true, 1);
  factory.task(0, 2, 1, true, 1);  // migrated from rank 1
  factory.task(1, 4, 1, true, 1);
  factory.messages(0, 2, 1, 64, 1);
  factory.messages(0, 2, 1, 32, 1, 1);
  const LoadModel& used = factory.use(make_load_model("WeightedMessages | LinearModel(length=2)"), 1);
  EXPECT_EQ(used.communication(0, {.phases = -2}), 64);
  EXPECT_EQ(used.communication(0, {.phases = -1}), 0);
  EXPECT_EQ(used.communication(1, {.phases = -2}), 64);
}

TEST_F(Messages, AreCountedForDepartedObjectInItsLastPhase) {
  factory.task(0, 1, 1, true, 1);
  factory.record(1, 1);
  factory.messages(0, 2, 1, 64, 1);
  const LoadModel& used = factory.use(make_load_model("WeightedMessages | LinearModel(length=2)"), 1);
  EXPECT_EQ(used.communication(0, {.phases = -2}), 64);
}

TEST_F(Messages, AreCountedAsOffRankUnlessSenderIsOnThisRank) {
  factory.task(0, 4, 1);
  factory.messages(0, 2, 1, 20, 2);   // object 2 is not on this rank
  factory.messages(0, 4, 1, 100, 1);  // object 4 is on this rank
  factory.edge(0, factory.other("node", 0), factory.object(1), 100, CommCategory::NodeToCollection);
  factory.edge(0, factory.other("node", 1), factory.object(1), 3, CommCategory::NodeToCollection);
  const LoadHistory history(factory.dataset.entities, {{&factory.record(0)}}, LoadHistory::Traffic::count, 0);
  EXPECT_EQ(history.traffic(0, 1).received.bytes, 23);
  EXPECT_EQ(history.traffic(0, 1).received.messages, 3);
  EXPECT_EQ(history.traffic(0, 1).received_send_recv.bytes, 20);
  EXPECT_EQ(history.traffic(1, 1).sent_send_recv.bytes, 0);
}

TEST_F(Messages, AddNoSubphaseOverheadWithoutLoad) {
  factory.task_with_subphases(5, 0, {0});
  factory.messages(0, 2, 5, 20, 2);
  const LoadModel& used = model("CommOverhead(per_message=0, per_byte=1)");
  EXPECT_EQ(used.load_s(1, next_phase), 20);
  EXPECT_EQ(used.load_s(1, next_phase.of(0)), 0);
}

TEST(WeightedCommunicationVolume, AddsConstantTerm) {
  HistoryFactory factory(1);
  factory.task(0, 1, 3);
  const LoadModel& used = factory.use(make_load_model("WeightedCommunicationVolume(alpha=2, gamma=0.5)"));
  EXPECT_EQ(used.load_s(0, next_phase), 6.5);
}

TEST_F(Messages, RejectNegativeSizes) {
  factory.messages(0, 2, 1, -1, 1);
  EXPECT_ERROR(model("WeightedMessages"), bad_input, "-1 bytes, 1 messages");
}

}  // namespace
}  // namespace plimsoll::balance::testing
