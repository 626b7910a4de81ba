#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/json.hpp"
#include "cli/program.hpp"
#include "common/shared_data.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Outcome generate(const std::string& folder, std::vector<std::string> more = {}) {
  std::vector<std::string> command = {"generate", "-o", folder};
  command.insert(command.end(), more.begin(), more.end());
  return run_plimsoll(command);
}

TEST(Generate, WritesValidUnbalancedDataSet) {
  const TemporaryFolder folder;
  const Outcome outcome = generate(folder / "data", {"--ranks", "8", "--phases", "3"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "Wrote 8 ranks, 3 phases and 128 objects to " + (folder / "data") + ".\n");
  EXPECT_THAT(run_plimsoll({"validate", folder / "data"}).out,
              HasSubstr("valid: 0 errors, 0 warnings in 8 files (24 phase records, 408 tasks,"));
  const Json info(run_plimsoll({"info", folder / "data", "--json"}).out);
  EXPECT_EQ(info.integer("/ranks"), 8);
  EXPECT_EQ(info.size("/phases"), 3U);
  EXPECT_EQ(info.integer("/phases/0/migratable_objects"), 128);
  EXPECT_GT(info.number("/phases/0/imbalance"), 0.5);
  EXPECT_GT(info.number("/phases/0/off_rank_bytes"), 0);
}

TEST(Generate, WritesValidDataForEveryLoadDistributionAndTopology) {
  const std::pair<const char*, const char*> kinds[] = {{"constant", "none"},    {"uniform", "ring"},
                                                       {"lognormal", "mesh2d"}, {"u4", "mesh3d"},
                                                       {"ramp", "random"},      {"hot-spot", "ring"}};
  for (const auto& [law, topology] : kinds) {
    const TemporaryFolder folder;
    const std::vector<std::string> options = {"--loads",     law, "--topology",  topology, "--noise", "0.1",
                                              "--subphases", "2", "--sentinels", "2"};
    EXPECT_EQ(generate(folder / "data", options).status, 0) << law << ", " << topology;
    EXPECT_EQ(run_plimsoll({"validate", folder / "data"}).status, 0) << law << ", " << topology;
  }
}

TEST(Generate, WritesSameBytesForSameSeed) {
  const TemporaryFolder folder;
  const auto bytes = [&](const std::string& name, const std::string& seed, const std::string& threads) {
    generate(folder / name,
             {"--loads", "lognormal", "--topology", "random", "--seed", seed, "--threads", threads});
    return file_content(folder / name + "/data.2.json.br");
  };
  const std::string first = bytes("first", "7", "1");
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(bytes("again", "7", "3"), first);
  EXPECT_NE(bytes("other", "8", "1"), first);
}

TEST(Generate, WritesUncompressedFilesOnRequest) {
  const TemporaryFolder folder;
  EXPECT_EQ(generate(folder / "data", {"--plain"}).status, 0);
  EXPECT_THAT(file_content(folder / "data/data.0.json"), ::testing::StartsWith("{\"metadata\""));
}

TEST(Generate, PrintsJson) {
  const TemporaryFolder folder;
  const Json json(generate(folder / "data", {"--ranks", "2", "--seed", "5", "--json"}).out);
  EXPECT_EQ(json.text("/output"), folder / "data");
  EXPECT_EQ(json.integer("/objects"), 32);
  EXPECT_EQ(json.integer("/seed"), 5);
}

TEST(Generate, WritesDataThatCanBeBalanced) {
  const TemporaryFolder folder;
  generate(folder / "data", {"--ranks", "8", "--objects-per-rank", "32"});
  const Json json(
      run_plimsoll({"balance", folder / "data", "--strategy", "RefineLB", "-o", folder / "out", "--json"})
          .out);
  EXPECT_LT(json.number("/after/imbalance"), 0.1);
  const Json info(run_plimsoll({"info", folder / "out", "--json"}).out);
  EXPECT_DOUBLE_EQ(info.number("/phases/0/max_load_s"), json.number("/after/max_load_s"));
  EXPECT_NEAR(info.number("/phases/0/mean_load_s"), json.number("/before/mean_load_s"), 1e-12);
}

TEST(Generate, WritesMemorySizesToWhichLimitsApply) {
  const TemporaryFolder folder;
  const std::vector<std::string> options = {"--ranks",          "8",   "--objects-per-rank", "12",
                                            "--footprint",      "1e6", "--blocks-per-rank",  "3",
                                            "--block-bytes",    "1e8", "--rank-memory",      "5e7",
                                            "--ranks-per-node", "2"};
  EXPECT_EQ(generate(folder / "data", options).status, 0);
  EXPECT_EQ(run_plimsoll({"validate", folder / "data"}).status, 0);
  const std::vector<std::string> balance = {"balance", folder / "data", "--strategy", "GreedyLB"};
  // Each rank has 12 objects and three blocks: 5e7 + 12 x 1e6 + 3 x 1e8 bytes.
  EXPECT_THAT(run_plimsoll(balance).out, ::testing::ContainsRegex("max memory per rank +345\\.2 MiB +"));
  auto as_json = balance;
  as_json.emplace_back("--json");
  const Json free(run_plimsoll(as_json).out);
  EXPECT_EQ(free.number("/before/max_memory_bytes"), 362e6);
  EXPECT_EQ(free.number("/before/max_node_memory_bytes"), 724e6);
  EXPECT_EQ(free.number("/after/max_memory_bytes"), 463e6);  // a block is copied to each rank that uses it
  EXPECT_LT(free.number("/after/imbalance"), 0.1);

  as_json.insert(as_json.end(), {"--param", "max_memory_bytes=4.6e8"});
  const Json limited(run_plimsoll(as_json).out);
  EXPECT_LE(limited.number("/after/max_memory_bytes"), 4.6e8);
  EXPECT_GT(limited.integer("/moved_objects"), 0);
  EXPECT_LT(limited.number("/after/imbalance"), limited.number("/before/imbalance"));
}

TEST(Generate, NamesOptionOfInvalidValue) {
  const TemporaryFolder folder;
  const auto error = [&](const std::vector<std::string>& options) {
    const Outcome outcome = generate(folder / "data", options);
    EXPECT_EQ(outcome.status, 2);
    return outcome.err;
  };
  EXPECT_THAT(error({"--footprint", "1e400"}), HasSubstr("for --footprint: expected 0 to 1e+18"));
  EXPECT_THAT(error({"--rank-memory", "-1"}), HasSubstr("invalid value -1 for --rank-memory: expected 0 to"));
  EXPECT_THAT(error({"--block-bytes", "1e8"}), HasSubstr("--block-bytes requires --blocks-per-rank"));
}

TEST(Generate, RejectsInvalidArguments) {
  const TemporaryFolder folder;
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"--ranks", "0"},
                                             {"--ranks", "-3"},
                                             {"--loads", "triangle"},
                                             {"--topology", "torus"},
                                             {"--hot-fraction", "2"},
                                             {"--footprint", "-1"},
                                             {"--blocks-per-rank", "17"},
                                             {"--variance", "-1"},
                                             {"--seed", "x"}}) {
    const Outcome outcome = generate(folder / "data", wrong);
    EXPECT_EQ(outcome.status, 2) << wrong.front() << ' ' << wrong.back();
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder / "data"));
  }
  EXPECT_THAT(run_plimsoll({"generate"}).err, HasSubstr("missing --output DIR"));
}

TEST(Generate, WritesDataOfSpecification) {
  const TemporaryFolder folder;
  const std::string spec = folder.write("spec.yaml", R"(tasks: [1.0, {time: 2.0, migratable: false}, 3.0]
ranks: [[0, 1], [2]]
communications: [{from: 0, to: 2, size: 1.0e+3}]
)");
  const std::vector<std::string> command = {"generate", "--spec", spec, "--ranks-per-node", "1", "-o"};
  auto as_text = command;
  as_text.push_back(folder / "data");
  const Outcome outcome = run_plimsoll(as_text);
  EXPECT_EQ(outcome.out, "Wrote 2 ranks, 1 phase and 2 objects to " + (folder / "data") + ".\n")
      << outcome.err;
  EXPECT_EQ(run_plimsoll({"validate", folder / "data"}).status, 0);
  const Json info(run_plimsoll({"info", folder / "data", "--json"}).out);
  EXPECT_EQ(info.number("/phases/0/max_load_s"), 3);
  EXPECT_EQ(info.number("/phases/0/off_rank_bytes"), 1000);
  EXPECT_THAT(run_plimsoll(as_text).err, HasSubstr("already exists"));
}

TEST(Generate, RejectsInvalidSpecifications) {
  const TemporaryFolder folder;
  const std::string spec = folder.write("spec.yaml", "tasks: [1.0]\nranks: [[0, 1]]\n");
  const Outcome invalid = run_plimsoll({"generate", "--spec", spec, "-o", folder / "data"});
  EXPECT_EQ(invalid.status, 1);
  EXPECT_THAT(invalid.err, HasSubstr("spec.yaml:2: unknown task 1; add it to tasks"));
  EXPECT_EQ(run_plimsoll({"generate", "--spec", folder / "absent", "-o", folder / "data"}).status, 3);
  const Outcome both = run_plimsoll({"generate", "--spec", spec, "--ranks", "2", "-o", folder / "data"});
  EXPECT_EQ(both.status, 2);
  EXPECT_THAT(both.err, HasSubstr("--spec"));
  EXPECT_FALSE(folder.has("data"));
}

TEST(Generate, ShowsProgressOnTerminalsOnly) {
  const TemporaryFolder folder;
  const std::vector<std::string> command = {
      "generate", "--ranks",   "8", "--objects-per-rank", "100000",       "--loads", "u4", "--topology",
      "none",     "--threads", "1", "--output",           folder / "data"};
  EXPECT_THAT(run_plimsoll(command, {.on_terminal = true}).out, HasSubstr(" left"));
  auto again = command;
  again.emplace_back("--force");
  EXPECT_EQ(run_plimsoll(again).err, "");
}

TEST(Generate, RecordsSeedInTheData) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_plimsoll({"generate", "-o", folder / "data", "--seed", "18446744073709551615"}).status, 0);
  const Outcome info = run_plimsoll({"info", folder / "data", "--json"});
  EXPECT_THAT(info.out,
              ::testing::HasSubstr(R"("attributes":{"generator":"plimsoll","seed":18446744073709551615})"));
}

TEST(Generate, WritesDataThatOtherCommandsReadHoweverWellTheyCompress) {
  const TemporaryFolder folder;
  const std::string data = folder / "data";
  ASSERT_EQ(run_plimsoll({"generate", "-o", data, "--ranks", "1", "--objects-per-rank", "40", "--phases",
                          "1000", "--loads", "constant"})
                .status,
            0);
  EXPECT_LT(std::filesystem::file_size(folder / "data/data.0.json.br"), 30'000U) << "for 41 MB of text";
  const Outcome info = run_plimsoll({"info", data, "--json"});
  EXPECT_EQ(info.status, 0) << info.err;
  EXPECT_EQ(Json(info.out).size("/phases"), 1000U);
  EXPECT_EQ(run_plimsoll({"validate", data}).status, 0);
}

}  // namespace
}  // namespace plimsoll::testing
