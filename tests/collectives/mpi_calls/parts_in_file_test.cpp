#include <gtest/gtest.h>

#include <array>
#include <string>

#include <plimsoll/collectives/mpi_calls.hpp>

#include "collectives/mpi_calls/example_calls.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::collectives {
namespace {

/// A file with the regions and windows that docs/reference/mpi-calls-file.md describes.
const std::string file_with_parts =
    R"({"format":"plimsoll MPI calls","version":1,"ideal_s":1.5,"ranks":[{"host":"a","wall_s":2,"mpi_s":0.5},)"
    R"({"host":"b","wall_s":2,"mpi_s":1}],"functions":[],"sites":[],"traffic":[],)"
    R"("regions":[{"name":"read","wall_s":[0.5,0],"mpi_s":[0.25,0],"waited_s":[0.125,0],"ideal_s":[0.25,0]},)"
    R"({"name":"solve","wall_s":[1.5,1],"mpi_s":[0.25,1]}],)"
    R"("windows":{"length_s":1.25,"parts":[{"wall_s":[1.25,1],"mpi_s":[0.5,0.75],"waited_s":[0.25,0],"ideal_s":[1,0.5]},)"
    R"({"wall_s":[0.75,1],"mpi_s":[0,0.25],"waited_s":null}]}})";

std::string replaced(const std::string& old, const std::string& replacement) {
  std::string text = file_with_parts;
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), replacement);
}

TEST(PartsInFile, AreRead) {
  const MpiCalls calls = parse_mpi_calls(file_with_parts, "file");
  ASSERT_EQ(calls.regions.size(), 2u);
  EXPECT_EQ(
      calls.regions[0],
      (MpiCalls::Region{
          "read", {.wall_s = {0.5, 0}, .mpi_s = {0.25, 0}, .waited_s = {0.125, 0}, .ideal_s = {0.25, 0}}}));
  EXPECT_EQ(calls.regions[1].name, "solve");
  EXPECT_TRUE(calls.regions[1].times.waited_s.empty());
  EXPECT_EQ(calls.windows.length_s, 1.25);
  ASSERT_EQ(calls.windows.parts.size(), 2u);
  EXPECT_EQ(calls.windows.parts[0].mpi_s, (std::vector<double>{0.5, 0.75}));
  EXPECT_TRUE(calls.windows.parts[1].waited_s.empty());
  EXPECT_EQ(calls.windows.parts[0].ideal_s, (std::vector<double>{1, 0.5}));
  EXPECT_TRUE(calls.windows.parts[1].ideal_s.empty());
}

TEST(PartsInFile, AreUnchangedAfterWritingAndReading) {
  const MpiCalls calls = parse_mpi_calls(file_with_parts, "file");
  EXPECT_EQ(parse_mpi_calls(to_json(calls), "file"), calls);
}

TEST(PartsInFile, MayBeMissing) {
  const std::string without = to_json(example_calls());
  EXPECT_EQ(without.find("regions"), std::string::npos);
  EXPECT_EQ(without.find("windows"), std::string::npos);
  EXPECT_TRUE(parse_mpi_calls(without, "file").regions.empty());
}

// Rounding to 64 bits may make a sum larger than the whole.
TEST(PartsInFile, MayAddUpToSlightlyMoreThanTheWhole) {
  const std::string file = replaced(R"([1.5,1])", R"([1.5000000001,1])");
  EXPECT_EQ(parse_mpi_calls(file, "file").regions.size(), 2u);
}

TEST(PartsInFile, AreRejectedIfInvalid) {
  for (const auto& [old, replacement, message] : std::initializer_list<std::array<std::string, 3>>{
           {R"("wall_s":[0.5,0],)", R"("wall_s":[0.5],)",
            "/regions/0/wall_s: 1 values: expected 2, one per rank"},
           {R"("mpi_s":[0.25,0],)", "", "/regions/0"},
           {R"("waited_s":[0.125,0])", R"("waited_s":[0.5,0])",
            "/regions/0/waited_s: rank 0 waited 0.5 s: must be <= its time in MPI, 0.25 s"},
           {R"("read")", R"("")", "/regions/0/name: must not be empty"},
           {R"("read")", R"("solve")",
            "/regions/1/name: \"solve\" follows \"solve\": expected ascending names"},
           {R"("wall_s":[1.5,1])", R"("wall_s":[1.75,1])",
            "/regions: \"wall_s\" of rank 0 adds up to 2.25 s: must be <= 2 s, as in \"ranks\""},
           {R"("mpi_s":[0.25,1])", R"("mpi_s":[0.25,1.5])", "/regions: \"mpi_s\" of rank 1 adds up to 1.5 s"},
           {R"("wall_s":[1.5,1])", R"("wall_s":[1.5,-1])",
            "/regions/1/wall_s/1: invalid time -1: must be >= 0"},
           {R"("length_s":1.25)", R"("length_s":0)", "/windows/length_s: must be > 0"},
           {R"("length_s":1.25)", R"("length_s":1)",
            "/windows/parts/0/wall_s: rank 0 has 1.25 s in a window: must be <= 1 s"},
           {R"("mpi_s":[0,0.25])", R"("mpi_s":[0.25,0.25])",
            "/windows/parts: \"mpi_s\" of rank 0 adds up to 0.75 s: must be <= 0.5 s"},
           {R"("ideal_s":[1,0.5])", R"("ideal_s":[1,1.75])",
            "/windows/parts: \"ideal_s\" of rank 1 adds up to 1.75 s: must be <= 1.5 s, as of the run"},
           {R"("ideal_s":1.5,)", "", "/regions: \"ideal_s\" of rank 0 adds up to 0.25 s: must be <= 0 s"},
           {R"("regions":[)", R"("regions":{},"others":[)", "/regions: expected an array"},
           {R"("windows":{)", R"("windows":[],"others":{)", "/windows: expected an object"}})
    EXPECT_ERROR(parse_mpi_calls(replaced(old, replacement), "file"), bad_input, message);
}

}  // namespace
}  // namespace plimsoll::collectives
