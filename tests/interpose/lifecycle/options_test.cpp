#include "interpose/lifecycle/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {
namespace {

using collectives::Exchange;
using collectives::Mode;
using collectives::Operation;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Options options(const std::string& words) {
  return parse_options({{"PLIMSOLL_PROFILER", words}});
}

std::string refusal(const Variables& variables) {
  const auto error = plimsoll::testing::error_of([&] { parse_options(variables); });
  if (!error) return "not refused";
  EXPECT_EQ(error->kind(), ErrorKind::usage);
  return error->what();
}

std::string refusal(const std::string& words) {
  return refusal({{"PLIMSOLL_PROFILER", words}});
}

TEST(Options, RecordCountsOfAllCallsByDefault) {
  const Options options = parse_options({});
  EXPECT_TRUE(options.counts);
  EXPECT_FALSE(options.record_times() || options.locations || options.backtraces || options.displacements);
  EXPECT_TRUE(options.operations.all());
  EXPECT_EQ(options.first_call(), 0);
  EXPECT_EQ(options.sample, 1);
  for (const std::uint64_t limit : options.limits) EXPECT_EQ(limit, UINT64_MAX);
  EXPECT_EQ(options.folder, ".");
  EXPECT_EQ(options.job, 0);
  EXPECT_TRUE(options.write.compact);
  EXPECT_FALSE(options.write.overwrite || options.quiet || options.merge_later);
}

TEST(Options, SelectDataToRecord) {
  EXPECT_TRUE(options("times").counts);
  EXPECT_FALSE(options("times,no-counts").counts);
  EXPECT_TRUE(options("times").times);
  const Options all = options("counts, times,late-arrival,locations,backtraces,displacements");
  EXPECT_TRUE(all.counts && all.times && all.late_arrival && all.locations && all.backtraces &&
              all.displacements);
  EXPECT_TRUE(options("quiet").counts);
}

TEST(Options, SelectCallsToRecord) {
  const Options chosen = options("sample=10,first=3,limit=100000,memory=2MiB");
  EXPECT_EQ(chosen.sample, 10);
  EXPECT_EQ(chosen.first_call(), 3);
  EXPECT_EQ(chosen.write.first_call, 3);
  EXPECT_EQ(chosen.limits[0], 100000);
  EXPECT_EQ(chosen.limits[23], 100000);
  EXPECT_EQ(chosen.memory_bytes, 2097152);
  EXPECT_EQ(options("memory=5").memory_bytes, 5);
  EXPECT_EQ(options("memory=1G").memory_bytes, 1073741824);
}

TEST(Options, SelectAllVariantsOfNamedOperation) {
  const auto operations = options("operations=alltoallw+ialltoallv").operations;
  EXPECT_EQ(operations.count(), 7);
  EXPECT_TRUE(operations[(Operation{Exchange::alltoallv, Mode::nonblocking}.index())]);
  EXPECT_FALSE(operations[(Operation{Exchange::alltoallv}.index())]);
  EXPECT_TRUE(operations[(Operation{Exchange::alltoallw, Mode::persistent, true}.index())]);
}

TEST(Options, SetFormatAndDirectoryOfFiles) {
  const Options chosen =
      options("not-compact,dotted-names,legacy-text,overwrite,quiet,merge=later,folder=a b");
  EXPECT_FALSE(chosen.write.compact);
  EXPECT_TRUE(chosen.write.dotted_names && chosen.write.legacy_text && chosen.write.overwrite);
  EXPECT_TRUE(chosen.quiet && chosen.merge_later);
  EXPECT_EQ(chosen.folder, "a b");
}

TEST(Options, RejectInvalidText) {
  EXPECT_THAT(refusal("time"), HasSubstr("did you mean \"times\"?"));
  EXPECT_THAT(refusal("xyzzy"), HasSubstr("profiling option \"xyzzy\""));
  EXPECT_THAT(refusal("limit"), HasSubstr("use limit=VALUE"));
  EXPECT_THAT(refusal("times=1"), HasSubstr("times does not accept a value"));
  EXPECT_THAT(refusal("limit=-1"), HasSubstr("invalid value \"-1\" for limit"));
  EXPECT_THAT(refusal("sample=0"), HasSubstr("use an integer >= 1"));
  EXPECT_THAT(refusal("first="), HasSubstr("invalid value \"\" for first"));
  EXPECT_THAT(refusal("memory=12Q"), HasSubstr("64MiB"));
  EXPECT_THAT(refusal("memory=99999999999999999G"), HasSubstr("64MiB"));
  EXPECT_THAT(refusal("merge=never"), HasSubstr("use now or later"));
  EXPECT_THAT(refusal("operations=altoallv"), HasSubstr("did you mean \"Alltoallv\"?"));
  EXPECT_THAT(refusal("operations="), HasSubstr("missing value for operations"));
  EXPECT_THAT(refusal("folder="), HasSubstr("folder"));
}

TEST(Options, HonourCollectiveProfilerVariables) {
  const Options chosen = parse_options({{"MPI_COLLECTIVE_PROFILER_OUTPUT_DIR", "new"},
                                        {"A2A_PROFILING_OUTPUT_DIR", "old"},
                                        {"A2A_NUM_CALL_START_PROFILING", "5"},
                                        {"A2A_LIMIT_ALLTOALLV_CALLS_ENVVAR", "7"},
                                        {"A2A_LIMIT_ALLTOALL_CALLS_ENVVAR", "-1"},
                                        {"ALLGATHERV_LIMIT_CALLS_ENVVAR", "9"},
                                        {"LSB_JOBID", "12"}});
  EXPECT_EQ(chosen.folder, "old");
  const std::size_t v = Operation{Exchange::alltoallv}.index();
  const std::size_t all = Operation{Exchange::alltoall}.index();
  ASSERT_TRUE(chosen.window);
  EXPECT_EQ(chosen.window->first, 5);
  EXPECT_EQ(chosen.write.first_call, 5);
  EXPECT_EQ(chosen.window->limits[v], 7);
  EXPECT_EQ(chosen.window->limits[all], UINT64_MAX);
  EXPECT_EQ((chosen.window->limits[Operation{Exchange::allgatherv}.index()]), 9);
  EXPECT_EQ(chosen.first_call(), 0) << "the merge determines the calls in the window";
  EXPECT_EQ(chosen.limits[v], 12);
  EXPECT_EQ(chosen.limits[all], UINT64_MAX);
  EXPECT_EQ(chosen.job, 12);
  EXPECT_THAT(refusal({{"A2A_NUM_CALL_START_PROFILING", "x"}}), HasSubstr("A2A_NUM_CALL_START_PROFILING"));
}

TEST(Options, PreferPlimsollVariables) {
  const Options chosen = parse_options({{"A2A_PROFILING_OUTPUT_DIR", "old"},
                                        {"PLIMSOLL_PROFILER", "folder=word,first=1"},
                                        {"PLIMSOLL_PROFILER_FOLDER", "variable"},
                                        {"A2A_NUM_CALL_START_PROFILING", "5"},
                                        {"SLURM_JOB_ID", "34"},
                                        {"LSB_JOBID", "12"}});
  EXPECT_EQ(chosen.folder, "variable");
  EXPECT_EQ(chosen.first_call(), 1);
  EXPECT_FALSE(chosen.window);
  EXPECT_EQ(chosen.job, 34);
}

TEST(Options, InjectDelayOnlyIfLateArrivalsAreRecorded) {
  const Variables delay = {{"COLLECTIVE_PROFILER_INJECT_DELAY", "1"}};
  EXPECT_FALSE(parse_options(delay).inject_delay);
  Variables both = delay;
  both["PLIMSOLL_PROFILER"] = "late-arrival";
  EXPECT_TRUE(parse_options(both).inject_delay);
}

TEST(Options, ReportVariablesWithoutEffect) {
  EXPECT_THAT(parse_options({{"DUMP_CALL_DATA", "3"}}).notes,
              ElementsAre(HasSubstr("DUMP_CALL_DATA has no effect: content-hash in PLIMSOLL_PROFILER")));
}

}  // namespace
}  // namespace plimsoll::interpose
