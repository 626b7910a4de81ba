#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/json.hpp"
#include "cli/program.hpp"
#include "common/shared_data.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::HasSubstr;

class Export : public ::testing::Test {
 protected:
  void SetUp() override {
    const Outcome generated =
        run_plimsoll({"generate", "-o", folder_ / "data", "--ranks", "4", "--phases", "3"});
    ASSERT_EQ(generated.status, 0) << generated.err;
  }
  Outcome run(std::vector<std::string> words) {
    words.insert(words.begin(), {"export", folder_ / "data"});
    return run_plimsoll(words);
  }

  TemporaryFolder folder_;
};

TEST_F(Export, WritesTables) {
  const Outcome outcome = run({"--format", "csv", "-o", folder_ / "tables"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "Wrote 3 phases of 4 ranks to " + (folder_ / "tables") + ".\n");
  const std::string tasks = folder_.read("tables/tasks.csv");
  EXPECT_TRUE(tasks.starts_with("phase,rank,object,type,"));
  const Json info(run_plimsoll({"info", folder_ / "data", "--json"}).out);
  EXPECT_EQ(std::ranges::count(tasks, '\n'), 1 + 3 * info.integer("/phases/0/objects"));
  EXPECT_EQ(std::ranges::count(folder_.read("tables/edges.csv"), '\n'),
            1 + 3 * info.integer("/phases/0/edges"));
}

TEST_F(Export, WritesMeshesOfSelectedPhases) {
  const Outcome outcome =
      run({"--format", "vtk", "-o", folder_ / "meshes", "--phases", "1-2", "--grid", "2,2,1", "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const Json answer(outcome.out);
  EXPECT_EQ(answer.integer("/phases"), 2);
  EXPECT_EQ(answer.size("/files"), 4U);
  for (const char* name :
       {"data_rank_mesh_1.vtp", "data_object_mesh_1.vtp", "data_rank_mesh_2.vtp", "data_object_mesh_2.vtp"})
    EXPECT_THAT(folder_.read(std::string("meshes/") + name), HasSubstr("<VTKFile type=\"PolyData\"")) << name;
  EXPECT_FALSE(folder_.has("meshes/data_rank_mesh_0.vtp"));
}

TEST_F(Export, WritesTrace) {
  const Outcome outcome = run({"--format", "chrome-trace", "-o", folder_ / "trace.json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(folder_.read("trace.json"), HasSubstr("\"name\":\"phase 2\""));
  EXPECT_EQ(run({"--format", "chrome-trace", "-o", "-"}).out, folder_.read("trace.json"));
  const Outcome again = run({"--format", "chrome-trace", "-o", folder_ / "trace.json"});
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.err, HasSubstr("already exists; use another name, or --force to overwrite it"));
}

TEST_F(Export, WritesOnlyTracesToStdout) {
  const Outcome tables = run({"--format", "csv", "-o", "-"});
  EXPECT_EQ(tables.status, 2);
  EXPECT_THAT(tables.err, HasSubstr("csv files cannot be written to stdout"));
  EXPECT_EQ(run({"--format", "chrome-trace", "-o", "-", "--json"}).status, 2);
}

TEST_F(Export, OverwritesFilesOnlyWithForce) {
  const std::vector<std::string> words = {"--format", "csv", "-o", folder_ / "tables"};
  EXPECT_EQ(run(words).status, 0);
  const Outcome again = run(words);
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.err,
              HasSubstr("tasks.csv: already exists; use another name, or --force to overwrite it"));
  EXPECT_EQ(run({"--format", "csv", "-o", folder_ / "tables", "--force"}).status, 0);
}

TEST_F(Export, RejectsInvalidArguments) {
  const auto error = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"-o", folder_ / "out"});
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_FALSE(folder_.has("out"));
    return outcome.err;
  };
  EXPECT_THAT(error({}), HasSubstr("missing --format FORMAT"));
  EXPECT_THAT(error({"--format", "xml"}), HasSubstr("xml"));
  EXPECT_THAT(error({"--format", "csv", "--grid", "2,2"}), HasSubstr("--grid requires --format vtk"));
  EXPECT_THAT(error({"--format", "vtk", "--grid", "2;2"}), HasSubstr("expected X,Y or X,Y,Z"));
  EXPECT_THAT(error({"--format", "vtk", "--grid", "1,2"}), HasSubstr("expected room for 4 ranks"));
  EXPECT_THAT(error({"--format", "csv", "--phases", "7"}), HasSubstr("the data set contains no phase in 7"));
}

}  // namespace
}  // namespace plimsoll::testing
