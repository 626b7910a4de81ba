#include "runtime/recording/modelled_loads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

using ::testing::ElementsAre;

/// Keeps three phases of a rank, with loads by object number.
struct RankWithModels {
  void end_phase(const std::map<std::uint64_t, double>& loads_s) {
    lbdata::PhaseRecord phase;
    phase.id = next_phase++;
    for (const auto& [number, load_s] : loads_s) {
      phase.tasks.entity.push_back(entity(number));
      phase.tasks.time_s.push_back(load_s);
      phase.tasks.node.push_back(0);
      phase.tasks.resource.push_back(data.cpu());
      phase.tasks.subphase_end.push_back(0);
    }
    data.add(std::move(phase));
  }
  lbdata::EntityIndex entity(std::uint64_t number) {
    return data.entities().intern({.id = lbdata::WideInteger{number}, .home = 0, .migratable = true});
  }

  NodeLBData data{{.lb_history = 3}, {.rank = 0}};
  std::int64_t next_phase = 0;
};

TEST(SteadyLoads, AreTheMedianOfThreePhases) {
  RankWithModels rank;
  rank.end_phase({{1, 9.0}, {2, 1.0}});
  rank.end_phase({{1, 1.0}, {2, 2.0}});
  rank.end_phase({{1, 30.0}, {2, 1.5}});
  rank.end_phase({{1, 2.0}, {2, 40.0}});
  EXPECT_THAT(steady_loads(rank.data), ElementsAre(2.0, 2.0)) << "of phases 1 to 3";
}

TEST(SteadyLoads, AreTheLowerOfTwoPhasesAndTheLoadOfOne) {
  RankWithModels rank;
  rank.end_phase({{1, 9.0}});
  EXPECT_THAT(steady_loads(rank.data), ElementsAre(9.0));
  rank.end_phase({{1, 1.0}, {2, 5.0}});
  EXPECT_THAT(steady_loads(rank.data), ElementsAre(1.0, 5.0));
}

TEST(SteadyLoads, IncludePhasesOnOtherRanks) {
  RankWithModels rank;
  rank.end_phase({});
  rank.end_phase({});
  rank.data.add_history(rank.entity(1), {.phase = 0, .time_s = 1.0, .subphases_s = {}});
  rank.data.add_history(rank.entity(1), {.phase = 1, .time_s = 1.25, .subphases_s = {}});
  rank.end_phase({{1, 30.0}});
  EXPECT_THAT(steady_loads(rank.data), ElementsAre(1.25));
}

}  // namespace

namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pointwise;

Settings with_model(const std::string& model, std::int64_t history = 1) {
  Settings settings;
  settings.lb_load_model = model;
  settings.lb_history = history;
  return settings;
}

/// Data of one rank, phase by phase: loads by object number.
class Rank {
 public:
  explicit Rank(const Settings& settings, bool migratable = true)
      : data(settings, {.rank = 3}),
        model(ModelledLoads::make(settings.lb_load_model, data)),
        migratable_(migratable) {}

  std::vector<double> end_phase(const std::map<std::uint64_t, double>& loads_s) {
    lbdata::PhaseRecord phase;
    phase.id = next_phase_++;
    for (const auto& [number, load_s] : loads_s) {
      phase.tasks.entity.push_back(entity(number));
      phase.tasks.time_s.push_back(load_s);
      phase.tasks.node.push_back(3);
      phase.tasks.resource.push_back(data.cpu());
      phase.tasks.subphase_end.push_back(0);
    }
    if (messages_) phase.communications = *messages_;
    std::vector<double> result = model ? model->after(phase) : std::vector<double>();
    data.add(std::move(phase));
    data.trim();
    return result;
  }
  void add_history(std::uint64_t number, std::int64_t phase, double time_s) {
    data.add_history(entity(number), {.phase = phase, .time_s = time_s, .subphases_s = {}});
  }
  void message(std::uint64_t from, std::uint64_t to, double bytes) {
    if (!messages_) messages_.emplace();
    messages_->from.push_back(entity(from));
    messages_->to.push_back(entity(to));
    messages_->bytes.push_back(bytes);
    messages_->messages.push_back(1);
    messages_->category.push_back(0);
  }

  NodeLBData data;
  std::unique_ptr<ModelledLoads> model;

 private:
  lbdata::EntityIndex entity(std::uint64_t number) {
    return data.entities().intern({.id = lbdata::WideInteger{number}, .home = 3, .migratable = migratable_});
  }
  bool migratable_;
  std::int64_t next_phase_ = 0;
  std::optional<lbdata::Communications> messages_;
};

TEST(ModelledLoads, EqualMeasuredLoadsWithoutModel) {
  for (const char* model : {"NaivePersistence", "RawData", " RawData | NaivePersistence"})
    EXPECT_EQ(Rank(with_model(model)).model, nullptr) << model;
}

TEST(ModelledLoads, UsePastPhases) {
  Rank rank(with_model("LinearModel(length=4)"));
  std::vector<double> result;
  for (const double load_s : {10, 5, 30, 50, 2, 60, 100})
    result.push_back(rank.end_phase({{1, load_s}}).at(0));
  EXPECT_THAT(result, Pointwise(DoubleNear(1e-12), {10., 0., 35., 60., 24.5, 46., 105.}));
}

TEST(ModelledLoads, UseOnlyPhasesSinceObjectReappeared) {
  Rank rank(with_model("PersistenceMedianLastN(n=3)"));
  EXPECT_THAT(rank.end_phase({}), IsEmpty());
  EXPECT_THAT(rank.end_phase({{2, 1}, {5, 10}}), ElementsAre(1, 10));
  EXPECT_THAT(rank.end_phase({{1, 4}, {2, 3}}), ElementsAre(4, 2));
  EXPECT_THAT(rank.end_phase({{2, 8}, {5, 6}}), ElementsAre(3, 6));
}

TEST(ModelledLoads, UseAddedHistory) {
  Rank rank(with_model("LinearModel(length=4)"));
  rank.end_phase({{2, 10}});
  rank.end_phase({{2, 5}});
  rank.add_history(1, 0, 10);
  rank.add_history(1, 1, 5);
  EXPECT_THAT(rank.end_phase({{1, 30}, {2, 30}}), Pointwise(DoubleNear(1e-12), {35., 35.}));
}

TEST(ModelledLoads, UseAddedHistoryOfObjectsThatDoNotMigrate) {
  Rank rank(with_model("PersistenceMedianLastN(n=2)"), false);
  rank.end_phase({});
  rank.add_history(1, 0, 2);
  EXPECT_THAT(rank.end_phase({{1, 4}}), ElementsAre(3));
}

TEST(ModelledLoads, IgnoreMessagesOfAddedHistory) {
  Rank rank(with_model("CommOverhead(per_message=0, per_byte=1)|LinearModel(length=2)"));
  rank.message(9, 2, 20);
  rank.message(9, 1, 40);  // object 1 is on another rank in phase 0
  rank.end_phase({{2, 1}});
  rank.add_history(1, 0, 5);
  EXPECT_EQ(rank.end_phase({{1, 5}, {2, 1}}).size(), 2U);
}

TEST(ModelledLoads, AreNeverNegative) {
  Rank rank(with_model("LinearModel(length=2)"));
  rank.end_phase({{1, 5}});
  EXPECT_THAT(rank.end_phase({{1, 1}}), ElementsAre(0));
}

TEST(ModelledLoads, IncludeMessagesFromOtherRanks) {
  Rank rank(with_model("CommOverhead(per_message=0, per_byte=1)"));
  rank.message(9, 1, 20);
  rank.message(2, 1, 100);  // both objects are on this rank
  EXPECT_THAT(rank.end_phase({{1, 5}, {2, 1}}), ElementsAre(25, 1));
}

// The corresponding test of vt uses models that need 1, 2 and 4 past phases.
TEST(ModelledLoads, KeepAsManyPhasesAsNeeded) {
  const auto kept = [](const std::string& model, std::int64_t history) {
    Rank rank(with_model(model, history));
    for (int phase = 0; phase < 10; ++phase) rank.end_phase({{1, 1}});
    return rank.data.phases().size();
  };
  for (const std::size_t n : {1, 2, 4}) {
    EXPECT_EQ(kept("PersistenceMedianLastN(n=" + std::to_string(n) + ")", 0), n);
    EXPECT_EQ(kept("LinearModel(length=" + std::to_string(n) + ")", 3), std::max<std::size_t>(n, 3));
  }
  EXPECT_EQ(kept("NaivePersistence", 0), 0U);
}

}  // namespace
}  // namespace plimsoll::runtime
