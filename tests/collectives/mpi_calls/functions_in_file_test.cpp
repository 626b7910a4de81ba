#include <gtest/gtest.h>

#include <array>
#include <string>

#include <plimsoll/collectives/mpi_calls.hpp>

#include "collectives/mpi_calls/example_calls.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::collectives {
namespace {

/// A file with the sizes and times of functions that docs/reference/mpi-calls-file.md describes.
const std::string file_with_sizes =
    R"({"format":"plimsoll MPI calls","version":1,"ranks":[{"host":"a","wall_s":2,"mpi_s":0.5},)"
    R"({"host":"b","wall_s":2,"mpi_s":1}],"functions":[{"name":"MPI_Bcast","calls":[2,1],"time_s":[0.5,1],)"
    R"("sizes":[{"min_bytes":0,"max_bytes":0,"calls":1,"time_s":0.25},)"
    R"({"min_bytes":17,"max_bytes":64,"calls":1,"time_s":0.5},)"
    R"({"min_bytes":1073741825,"max_bytes":null,"calls":1,"time_s":0.75}],"window_times_s":[1.25,0.25]}],)"
    R"("sites":[],"traffic":[],"windows":{"length_s":1.25,"parts":[{"wall_s":[1.25,1],"mpi_s":[0.5,0.75],)"
    R"("waited_s":null},{"wall_s":[0.75,1],"mpi_s":[0,0.25],"waited_s":null}]}})";

std::string with_sizes(const std::string& old, const std::string& replacement) {
  std::string text = file_with_sizes;
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), replacement);
}

TEST(FunctionsInFile, AreRead) {
  const MpiCalls calls = parse_mpi_calls(file_with_sizes, "file");
  ASSERT_EQ(calls.functions.size(), 1u);
  const MpiCalls::Function& broadcast = calls.functions[0];
  EXPECT_EQ(broadcast.name, "MPI_Bcast");
  EXPECT_EQ(broadcast.sizes, (std::vector<MpiCalls::SizeClass>{
                                 {0, 0, 1, 0.25}, {17, 64, 1, 0.5}, {1073741825, std::nullopt, 1, 0.75}}));
  EXPECT_EQ(broadcast.window_times_s, (std::vector<double>{1.25, 0.25}));
}

TEST(FunctionsInFile, AreUnchangedAfterWritingAndReading) {
  const MpiCalls calls = parse_mpi_calls(file_with_sizes, "file");
  EXPECT_EQ(parse_mpi_calls(to_json(calls), "file"), calls);
}

TEST(FunctionsInFile, MayLackSizesAndTimesOverTheRun) {
  const std::string without = to_json(example_calls());
  EXPECT_EQ(without.find("sizes"), std::string::npos);
  EXPECT_EQ(without.find("window_times_s"), std::string::npos);
  EXPECT_TRUE(parse_mpi_calls(without, "file").functions[0].sizes.empty());
}

TEST(FunctionsInFile, AreRejectedIfInvalid) {
  for (const auto& [old, replacement, message] : std::initializer_list<std::array<std::string, 3>>{
           {R"("min_bytes":17)", R"("min_bytes":65)",
            "/functions/0/sizes/1/max_bytes: invalid size 64: must be >= \"min_bytes\", 65"},
           {R"("max_bytes":0,)", R"("max_bytes":17,)",
            "/functions/0/sizes/1/min_bytes: expected ascending sizes that do not overlap"},
           {R"("max_bytes":64)", R"("max_bytes":null)",
            "/functions/0/sizes/2/min_bytes: expected ascending sizes that do not overlap"},
           {R"("calls":1,"time_s":0.5)", R"("calls":-1,"time_s":0.5)", "/functions/0/sizes/1/calls"},
           {R"("time_s":0.75)", R"("time_s":-1)",
            "/functions/0/sizes/2/time_s: invalid time -1: must be >= 0"},
           {R"("time_s":0.75)", R"("time_s":0.8)",
            "/functions/0/sizes: \"time_s\" of all sizes is 1.55: must be 1.5, that of the function"},
           {R"("time_s":0.75)", R"("time_s":0.7)",
            "/functions/0/sizes: \"time_s\" of all sizes is 1.45: must be 1.5, that of the function"},
           {R"("calls":1,"time_s":0.75)", R"("calls":2,"time_s":0.75)",
            "/functions/0/sizes: \"calls\" of all sizes is 4: must be 3, that of the function"},
           {R"([1.25,0.25])", R"([1.25])",
            "/functions/0/window_times_s: 1 values: expected 2, one per window"},
           {R"([1.25,0.25])", R"([1.25,true])", "/functions/0/window_times_s/1"}})
    EXPECT_ERROR(parse_mpi_calls(with_sizes(old, replacement), "file"), bad_input, message);
}

TEST(FunctionsInFile, MayEndBetweenSumsIfCutShort) {
  std::string text = with_sizes(R"("time_s":0.75)", R"("time_s":0.8)");
  text.replace(text.find(R"("ranks")"), 7, R"("cut_short":"1","ranks")");
  EXPECT_EQ(parse_mpi_calls(text, "file").functions[0].sizes.size(), 3u);
}

}  // namespace
}  // namespace plimsoll::collectives
