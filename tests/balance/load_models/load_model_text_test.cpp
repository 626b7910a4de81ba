#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include <plimsoll/balance/load_models.hpp>

#include "balance/search/random.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

TEST(LoadModelText, AcceptsSpacesAndWritesCanonicalText) {
  const auto text = [](const char* pipeline) { return make_load_model(pipeline)->text(); };
  EXPECT_EQ(text("LinearModel"), "LinearModel(length=5)");
  EXPECT_EQ(text(" LinearModel ( length = 7 ) "), "LinearModel(length=7)");
  EXPECT_EQ(text("Norm()|PersistenceMedianLastN(n=4)"), "Norm(power=2) | PersistenceMedianLastN(n=4)");
  EXPECT_EQ(text("SelectSubphases(subphases=[ 2,1 ])"), "SelectSubphases(subphases=[2, 1])");
  EXPECT_EQ(text("Norm(power=infinity)"), "Norm(power=infinity)");
  EXPECT_EQ(text("NaivePersistence"), "NaivePersistence");
  EXPECT_EQ(text("RawData"), "NaivePersistence");
  EXPECT_EQ(text("RawData | NaivePersistence | LinearModel"), "LinearModel(length=5)");
  EXPECT_EQ(text("LinearModel | NaivePersistence"), "LinearModel(length=5) | NaivePersistence");
  EXPECT_EQ(text("PerCollection( 9 = Norm | LinearModel(length=2) , 7=PerCollection(1=Norm) )"),
            "PerCollection(7=PerCollection(1=Norm(power=2)), 9=Norm(power=2) | LinearModel(length=2))");
  EXPECT_EQ(text("LinearModel | PerCollection(7=NaivePersistence)"),
            "LinearModel(length=5) | PerCollection(7=NaivePersistence)");
}

TEST(LoadModelText, RoundTripsAnyPipeline) {
  Random random(11);
  std::set<std::string> used;
  const auto draw = [&](auto&& self, int depth) -> std::string {
    std::string pipeline;
    for (std::uint64_t stages = 1 + random.next() % 3; stages > 0; --stages) {
      const LoadModelInfo& info = load_models()[random.next() % load_models().size()];
      if (info.name == "RawData" || (info.name != "PerCollection" && !used.insert(info.name).second))
        continue;
      if (!pipeline.empty()) pipeline += " | ";
      pipeline += info.name;
      if (info.name == "PerCollection" && depth > 0)
        pipeline += "(" + std::to_string(random.next()) + "=" + self(self, depth - 1) + ")";
    }
    return pipeline.empty() ? "NaivePersistence" : pipeline;
  };
  for (int repeat = 0; repeat < 500; ++repeat) {
    used.clear();
    const std::string pipeline = draw(draw, 3);
    const std::string text = make_load_model(pipeline)->text();
    EXPECT_EQ(make_load_model(text)->text(), text) << pipeline;
    EXPECT_EQ(make_load_model(text)->past_phases_needed(), make_load_model(pipeline)->past_phases_needed());
  }
}

TEST(LoadModelText, AcceptsEachExample) {
  for (const LoadModelInfo& info : load_models()) {
    EXPECT_NE(info.example.find(info.name), std::string::npos);
    EXPECT_NO_THROW(make_load_model(info.example)) << info.example;
    EXPECT_FALSE(info.help.empty());
  }
}

TEST(LoadModelPage, ListsEachModelWithItsDefaults) {
  std::ifstream file(PLIMSOLL_DOCS_DIR "/reference/load-models.md");
  std::stringstream page;
  page << file.rdbuf();
  for (const LoadModelInfo& info : load_models()) {
    std::string parameters;
    for (const ParameterSpec& parameter : info.parameters)
      parameters += fmt::format("{}{}={}", parameters.empty() ? "(" : ", ", parameter.name,
                                to_string(parameter.default_value));
    if (info.name == "PerCollection") parameters = "(7=..., 9=...";
    if (!parameters.empty()) parameters += ")";
    EXPECT_THAT(page.str(), ::testing::HasSubstr(fmt::format("\n| `{}{}` |", info.name, parameters)));
  }
}

TEST(LoadModelText, RejectsInvalidText) {
  const auto expect = [](const char* text, const char* message) {
    EXPECT_ERROR(make_load_model(text), usage, message);
  };
  expect("", "missing name");
  expect("LinearModel |", "missing name");
  expect("| LinearModel", "missing name");
  expect("LinerModel", "did you mean \"LinearModel\"?");
  expect("ProposedReassignment", "unknown load model");
  expect("LinearModel(5)", "expected name=value, found \"5\"");
  expect("LinearModel(=5)", "expected name=value, found \"=5\"");
  expect("LinearModel(length=5,)", "expected name=value, found \"\"");
  expect("LinearModel(lenght=5)", "did you mean \"length\"?");
  expect("LinearModel(length=5, length=6)", "duplicate parameter \"length\" of LinearModel");
  expect("LinearModel(length=5.5)", "invalid value \"5.5\" for parameter \"length\"");
  expect("LinearModel(length=0)",
         R"(invalid value 0 for parameter "length" of LinearModel; use 1 to 1000000)");
  expect("PersistenceMedianLastN(n=-1)", R"(invalid value -1 for parameter "n" of PersistenceMedianLastN)");
  expect("MultiplePhases(phases=1001)",
         R"(invalid value 1001 for parameter "phases" of MultiplePhases; use 1 to 1000)");
  expect("LinearModel(length=5", "missing ')'");
  expect("LinearModel)", "unmatched ')'");
  expect("SelectSubphases(subphases=[1)", "unmatched ')'");
  expect("LinearModel(length=5) Norm(power=1)", "");
  expect("LinearModel(length=5) Norm", "missing '|' after ')'");
  expect("Norm(power=0)", R"(invalid value 0 for parameter "power" of Norm)");
  expect("Norm(power=nan)", "for parameter \"power\" of Norm");
  expect("Norm(power=-1)", R"(invalid value -1 for parameter "power" of Norm)");
  expect("Norm(power=1x)", "for parameter \"power\" of Norm");
  expect("SelectSubphases(subphases=[])", "use a list such as [2, 1]");
  expect("SelectSubphases(subphases=1)", "use a list such as [2, 1]");
  expect("SelectSubphases(subphases=[1 2])", "use a list such as [2, 1]");
  expect("SelectSubphases(subphases=[1,])", "use a list such as [2, 1]");
  expect("SelectSubphases(subphases=[65535])", "invalid subphase 65535");
  expect("CommOverhead(per_byte=-1)", R"(invalid value -1 for parameter "per_byte" of CommOverhead)");
  expect("WeightedCommunicationVolume(alpha=inf)", "invalid value");
  expect("PerCollection(x=Norm)", "invalid collection \"x\" of PerCollection");
  expect("PerCollection(7=Norm, 7=Norm)", "duplicate collection 7");
  expect("PerCollection(7=)", "missing name");
  expect("CommOverhead | Norm | CommOverhead", "duplicate load model CommOverhead");
  expect("CommOverhead | PerCollection(7=CommOverhead)", "duplicate load model CommOverhead");
  expect("PerCollection(7=Norm) | Norm",
         "duplicate load model Norm: Norm cannot be stacked on itself; use it once");
  expect("PerCollection(7=RawData)", "RawData cannot be stacked on another model");
  expect("Norm | RawData", "RawData cannot be stacked on another model");
  expect("RawData(n=1)", "unknown parameter \"n\" of RawData; remove it");
  EXPECT_ERROR(make_load_model("MultiplePhases(phases=100) | Norm | MultiplePhases(phases=11)"), usage,
               "too many phases in stacked MultiplePhases: 1100; use at most 1000");
  EXPECT_ERROR(make_load_model("MultiplePhases(phases=100) | PerCollection(7=MultiplePhases(phases=11))"),
               usage, "too many phases in stacked MultiplePhases: 1100");
  EXPECT_ERROR(make_load_model(std::string(5000, '(')), usage, "use at most 4096");
  EXPECT_ERROR(make_load_model(std::string(4000, '(')), usage, "missing ')'");
}

}  // namespace
}  // namespace plimsoll::balance
