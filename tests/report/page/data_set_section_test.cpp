#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <string>
#include <utility>
#include <vector>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/report/html_page.hpp>

#include "common/temporary_folder.hpp"
#include "report/two_ranks.hpp"

namespace plimsoll::PLIMSOLL_ABI::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Members of a section, read by another JSON library.
class Section {
 public:
  explicit Section(const lbdata::Dataset& dataset, const PageLimits& limits = {}) {
    std::string text;
    support::JsonWriter json(text);
    json.begin_object();
    write_data_set(json, dataset, balance::overview(dataset), limits);
    json.end_object();
    text_ = text;
    root_ = parser_.parse(text_).value();
  }
  simdjson::dom::element at(const std::string& pointer) const { return root_.at_pointer(pointer).value(); }
  double number(const std::string& pointer) const { return at(pointer).get_double().value(); }
  std::size_t size(const std::string& pointer) const { return at(pointer).get_array().value().size(); }
  std::vector<double> numbers(const std::string& pointer) const {
    std::vector<double> values;
    for (std::size_t k = 0; k < size(pointer); ++k)
      values.push_back(number(fmt::format("{}/{}", pointer, k)));
    return values;
  }
  std::string text(const std::string& pointer) const { return std::string(at(pointer).get_string().value()); }
  std::vector<std::string> texts(const std::string& pointer) const {
    std::vector<std::string> values;
    for (std::size_t k = 0; k < size(pointer); ++k) values.push_back(text(fmt::format("{}/{}", pointer, k)));
    return values;
  }
  /// Returns the values of the quantity with this key in a phase.
  std::vector<double> quantity(const std::string& key, int phase) const {
    for (std::size_t k = 0; k < size("/quantities"); ++k)
      if (text(fmt::format("/quantities/{}/key", k)) == key)
        return numbers(fmt::format("/quantities/{}/values/{}", k, phase));
    return {};
  }

 private:
  simdjson::padded_string text_;
  simdjson::dom::parser parser_;
  simdjson::dom::element root_;
};

TEST(DataSetSection, SumsTimeLostToImbalance) {
  const Section section(two_ranks());  // in each phase, the ranks carry 2 s and 3 s
  EXPECT_DOUBLE_EQ(section.number("/lost/time_s"), 2 * 0.5);
  EXPECT_DOUBLE_EQ(section.number("/lost/core_hours"), 2 * 0.5 * 2 / 3600);
  EXPECT_DOUBLE_EQ(section.number("/lost/share"), 1.0 / 6);
}

TEST(DataSetSection, HasQuantitiesOfRanks) {
  const Section section(two_ranks());
  for (const int phase : {0, 1}) EXPECT_THAT(section.quantity("load_s", phase), ElementsAre(2, 3)) << phase;
  EXPECT_THAT(section.quantity("objects", 0), ElementsAre(2, 1));
  EXPECT_THAT(section.quantity("migratable_objects", 0), ElementsAre(1, 1));
  EXPECT_THAT(section.quantity("sent_bytes", 0), ElementsAre(100, 20));
  EXPECT_THAT(section.quantity("received_messages", 0), ElementsAre(1, 2));
  EXPECT_EQ(section.text("/quantities/7/key"), "user:cost");
  EXPECT_DOUBLE_EQ(section.number("/quantities/7/values/0/0"), 2);
  EXPECT_TRUE(section.at("/quantities/7/values/0/1").is_null());  // the task of rank 1 has no such number
  EXPECT_TRUE(section.at("/nodes").is_null());
}

TEST(DataSetSection, ListsObjectsAndTheirEntities) {
  const Section section(two_ranks());
  EXPECT_THAT(section.numbers("/entities/number"), ElementsAre(3, 4, 5));
  EXPECT_THAT(section.numbers("/entities/migratable"), ElementsAre(1, 0, 1));
  EXPECT_THAT(section.numbers("/entities/home"), ElementsAre(0, 0, 1));
  EXPECT_THAT(section.texts("/entities/index"), ElementsAre("1,2", "", ""));
  EXPECT_DOUBLE_EQ(section.number("/entities/collection/0"), 7);
  EXPECT_TRUE(section.at("/entities/collection/1").is_null());
  EXPECT_THAT(section.numbers("/objects/1/entity"), ElementsAre(0, 1, 2));
  EXPECT_THAT(section.numbers("/objects/1/rank"), ElementsAre(0, 0, 1));
  EXPECT_THAT(section.numbers("/objects/1/load_s"), ElementsAre(1.5, 0.5, 3));
  EXPECT_TRUE(section.at("/objects/1/complete").get_bool().value());
  EXPECT_DOUBLE_EQ(section.number("/objects/0/fields/cost/0"), 2);
}

/// Returns a data set of one rank with two objects that have these `user_defined`.
lbdata::Dataset with_user_defined(const std::string& first, const std::string& second) {
  const testing::TemporaryFolder folder;
  std::string tasks;
  for (const auto& [id, user_defined] : {std::pair(1, first), std::pair(2, second)})
    tasks += fmt::format(
        R"({}{{"entity":{{"type":"object","id":{},"home":0,"migratable":true}},"node":0,"resource":"cpu",)"
        R"("time":1.0,"user_defined":{}}})",
        tasks.empty() ? "" : ",", id, user_defined);
  folder.write("data.0.json", R"({"type":"LBDatafile","metadata":{"type":"LBDatafile","rank":0},"phases":[)"
                              R"({"id":0,"tasks":[)" +
                                  tasks + "]}]}");
  return lbdata::read(lbdata::find_rank_files({folder.path()})).dataset;
}

TEST(DataSetSection, DoesNotRoundUserNumbers) {
  const Section section(with_user_defined(R"({"cells":12345678})", R"({"cells":0.123456789012})"));
  EXPECT_THAT(section.numbers("/objects/0/fields/cells"), ElementsAre(12345678, 0.123456789012));
  EXPECT_THAT(section.quantity("user:cells", 0), ElementsAre(12345678.123456789012));
}

TEST(DataSetSection, SumsOnlyNumbersThatBelongToObjects) {
  const char* const user_defined =
      R"({"home_rank":0,"shared_id":3,"id":4,"rank":5,"shared_bytes":8,"rank_working_bytes":9,)"
      R"("grid":2,"task_working_bytes":7})";
  const Section section(with_user_defined(user_defined, user_defined));
  ASSERT_EQ(section.size("/quantities"), 10U);  // seven of all data sets, and the memory
  EXPECT_EQ(section.text("/quantities/7/key"), "memory_bytes");
  EXPECT_EQ(section.text("/quantities/8/key"), "user:grid");
  EXPECT_EQ(section.text("/quantities/9/key"), "user:task_working_bytes");
  EXPECT_EQ(section.text("/quantities/9/unit"), "bytes");
  EXPECT_DOUBLE_EQ(section.number("/quantities/9/values/0/0"), 14);
  EXPECT_THAT(section.numbers("/objects/0/fields/shared_id"), ElementsAre(3, 3));
}

TEST(DataSetSection, ListsTrafficOfObjectsRanksAndCategories) {
  const Section section(two_ranks());
  EXPECT_THAT(section.numbers("/edges/0/from"), ElementsAre(0, 2));  // most bytes first
  EXPECT_THAT(section.numbers("/edges/0/to"), ElementsAre(2, 0));
  EXPECT_THAT(section.numbers("/edges/0/bytes"), ElementsAre(100, 20));
  EXPECT_THAT(section.numbers("/traffic/0/from"), ElementsAre(0, 1));
  EXPECT_THAT(section.numbers("/traffic/0/messages"), ElementsAre(2, 1));
  EXPECT_THAT(section.numbers("/total_traffic/bytes"), ElementsAre(200, 40));
  EXPECT_THAT(section.numbers("/total_traffic/category"), ElementsAre(0, 0));
  EXPECT_EQ(section.text("/total_traffic/category_names/0"), "SendRecv");
  EXPECT_EQ(section.text("/categories/0/category"), "SendRecv");
  EXPECT_DOUBLE_EQ(section.number("/categories/0/bytes"), 120);
}

TEST(DataSetSection, HasSubphases) {
  const Section section(two_ranks());
  EXPECT_THAT(section.numbers("/subphases/0/ids"), ElementsAre(3, 7));
  EXPECT_THAT(section.numbers("/subphases/0/loads_s/0"), ElementsAre(1, 0));
  EXPECT_THAT(section.numbers("/subphases/0/loads_s/1"), ElementsAre(0.5, 0));
}

/// Returns a data set with one phase per list of ranks, on which objects 1, 2, ... of 1 s are.
lbdata::Dataset placed(const std::vector<std::vector<int>>& phases, int n_ranks) {
  const testing::TemporaryFolder folder;
  for (int rank = 0; rank < n_ranks; ++rank) {
    std::string text =
        fmt::format(R"({{"type":"LBDatafile","metadata":{{"type":"LBDatafile","rank":{}}},"phases":[)", rank);
    for (std::size_t phase = 0; phase < phases.size(); ++phase) {
      text += fmt::format(R"({}{{"id":{},"tasks":[)", phase == 0 ? "" : ",", phase);
      bool is_first = true;
      for (std::size_t object = 0; object < phases[phase].size(); ++object)
        if (phases[phase][object] == rank)
          text += fmt::format(R"({}{{"entity":{{"type":"object","id":{},"home":0,"migratable":true}},)",
                              std::exchange(is_first, false) ? "" : ",", object + 1) +
                  fmt::format(R"("node":{},"resource":"cpu","time":1.0}})", rank);
      text += "]}";
    }
    folder.write(fmt::format("data.{}.json", rank), text + "]}");
  }
  return lbdata::read(lbdata::find_rank_files({folder.path()})).dataset;
}

TEST(DataSetSection, CountsMigrations) {
  const Section section(placed({{0, 0, 1}, {1, 0, 0}, {1, 0, 0}}, 2));
  EXPECT_TRUE(section.at("/migrations/0").is_null());
  EXPECT_DOUBLE_EQ(section.number("/migrations/1"), 2);
  EXPECT_DOUBLE_EQ(section.number("/migrations/2"), 0);
}

TEST(DataSetSection, KeepsHeaviestObjectsBeyondLimit) {
  const Section section(two_ranks(), {.tasks = 5});  // 6 tasks in 2 phases of 2 ranks: one each
  EXPECT_THAT(section.numbers("/objects/0/load_s"), ElementsAre(1.5, 3));
  EXPECT_FALSE(section.at("/objects/0/complete").get_bool().value());
  EXPECT_THAT(section.texts("/notes"),
              ElementsAre("Objects are the heaviest of each rank and phase, at most 1."));
}

TEST(DataSetSection, OmitsObjectsThatDoNotFit) {
  const Section section(two_ranks(), {.tasks = 3});
  EXPECT_THAT(section.numbers("/objects/0/load_s"), IsEmpty());
  EXPECT_THAT(section.texts("/notes"), ElementsAre(HasSubstr("Objects are not listed")));
}

TEST(DataSetSection, KeepsFirstUserNumbersBeyondLimit) {
  const Section section(two_ranks(), {.user_numbers = 0});
  EXPECT_EQ(section.size("/quantities"), 7U);
  EXPECT_THAT(section.texts("/notes"), ElementsAre("Only the first 0 user-defined numbers are shown."));
}

TEST(DataSetSection, SumsTrafficOfPhasesBeyondLimit) {
  const Section section(two_ranks(), {.edges = 2, .rank_pairs = 3});
  EXPECT_EQ(section.size("/traffic"), 0U);
  EXPECT_THAT(section.numbers("/total_traffic/bytes"), ElementsAre(200, 40));
  EXPECT_THAT(section.numbers("/edges/0/bytes"), ElementsAre(100));
  EXPECT_FALSE(section.at("/edges/0/complete").get_bool().value());
  EXPECT_THAT(section.texts("/notes"),
              ElementsAre("Edges between objects are those with most bytes of each phase, at most 1. Traffic "
                          "between ranks is the sum of all phases."));
}

TEST(DataSetSection, JoinsRanksBeyondLimit) {
  const Section section(two_ranks(), {.cells = 2});
  EXPECT_DOUBLE_EQ(section.number("/ranks_per_row"), 2);
  EXPECT_THAT(section.quantity("load_s", 0), ElementsAre(3));
  EXPECT_THAT(section.numbers("/total_traffic/from"), ElementsAre(0));
  EXPECT_THAT(section.numbers("/total_traffic/bytes"), ElementsAre(240));
  ASSERT_EQ(section.size("/subphases"), 1U);  // those of phase 1 do not fit
  EXPECT_THAT(section.numbers("/subphases/0/loads_s/0"), ElementsAre(1));
}

std::vector<std::string> findings_of(const lbdata::Dataset& dataset) {
  return find_imbalance(dataset, balance::overview(dataset));
}

TEST(FindImbalance, NamesHeaviestRankAndItsObjects) {
  EXPECT_THAT(findings_of(two_ranks()),
              ElementsAre("Rank 1 carries 1.2 times the mean load in phase 0, with a single object.",
                          "No placement takes less time. An even distribution would take 5.00 s; the main "
                          "obstacle is the heaviest object in phase 0.",
                          "Ranks exchange 120 B in 3 messages in phase 0, the most of any phase."));
}

TEST(FindImbalance, ReportsPossibleGainAndTrend) {
  EXPECT_THAT(
      findings_of(placed({{0, 0, 0, 0}, {0, 0, 1, 1}}, 2)),
      ElementsAre("Rank 0 carries 2.0 times the mean load in phase 0, because of 2 heavy objects among 4.",
                  "Better placements could take 4.00 s instead of 6.00 s (33.3 % less).",
                  "The imbalance falls from 1.00 in phase 0 to 0.00 in phase 1."));
}

TEST(FindImbalance, NamesThePeakIfAnotherPhaseLosesMoreTime) {
  // Phase 0 loses 3 of 9 s with imbalance 0.5; phase 1 loses 1 of 2 s with imbalance 1.
  EXPECT_THAT(findings_of(placed({{0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1}, {0, 0}}, 2)),
              ElementsAre(HasSubstr("Rank 0 carries 1.5 times the mean load in phase 0"),
                          "Better placements could take 7.00 s instead of 11.0 s (36.4 % less).",
                          HasSubstr("Rank 0 carries 2.0 times the mean load in phase 1")));
}

TEST(FindImbalance, ReportsNoTrendIfTheImbalancePeaksBetween) {
  const std::vector<std::string> findings = findings_of(placed({{0, 0, 1}, {0, 0, 0}, {0, 1}}, 2));
  EXPECT_EQ(findings.at(2), "No communication between ranks is recorded.");
}

TEST(FindImbalance, StatesThatWorkIsEven) {
  EXPECT_THAT(
      findings_of(placed({{0, 1}}, 2)),
      ElementsAre("The work is even: in no phase does a rank carry more than 1.00 times the mean load.",
                  "No communication between ranks is recorded."));
}

TEST(FindImbalance, AcceptsDataWithoutLoads) {
  EXPECT_THAT(findings_of(placed({{}}, 2)), ElementsAre("No loads are recorded."));
}

}  // namespace
}  // namespace plimsoll::report
