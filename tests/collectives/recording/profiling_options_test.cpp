#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include <plimsoll/collectives/profiling_options.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

std::size_t index_of(Exchange exchange, Mode mode = Mode::blocking, bool neighborhood = false) {
  return Operation{exchange, mode, neighborhood}.index();
}

TEST(ProfilingOptions, WritesOnlyCountsForDefaults) {
  EXPECT_EQ(to_string(ProfilingOptions{}), "counts");
}

TEST(ProfilingOptions, WritesValuesThatDifferFromDefaults) {
  ProfilingOptions options;
  options.counts = false;
  options.times = options.late_arrival = true;
  options.sample = 10;
  options.first = 0;
  options.limit = 7;
  options.memory_bytes = 5;
  options.operations.reset();
  options.operations.set(index_of(Exchange::alltoallw, Mode::nonblocking));
  options.merge_later = options.quiet = options.write.overwrite = true;
  options.write.compact = false;
  EXPECT_EQ(
      to_string(options),
      "no-counts,times,late-arrival,sample=10,first=0,limit=7,memory=5,operations=ialltoallw,merge=later,"
      "not-compact,overwrite,quiet");
}

TEST(ProfilingOptions, RejectsOptionsForTextFilesThatAreNotWritten) {
  EXPECT_FALSE(parse_profiling_options("no-text").write.text);
  EXPECT_EQ(to_string(parse_profiling_options("no-text,quiet")), "counts,no-text,quiet");
  for (const char* text : {"no-text,not-compact", "no-text,legacy-text", "dotted-names,no-text"})
    EXPECT_ERROR(parse_profiling_options(text), usage, "no text files are to be written");
}

TEST(ProfilingOptions, LimitsDepth) {
  EXPECT_EQ(parse_profiling_options("mpi,depth=1").depth, 1u);
  EXPECT_EQ(to_string(parse_profiling_options("mpi,depth=16")), "mpi,depth=16");
  EXPECT_EQ(to_string(parse_profiling_options("mpi,depth=8")), "mpi");
  for (const char* text : {"depth=0", "depth=17", "depth=x", "depth=-1"})
    EXPECT_ERROR(parse_profiling_options(text), usage, "use an integer from 1 to 16");
}

TEST(ProfilingOptions, WritesOneNameForAllVariantsOfOperation) {
  ProfilingOptions options = parse_profiling_options("operations=alltoallv+ialltoall");
  EXPECT_EQ(options.operations.count(), 7);
  EXPECT_EQ(to_string(options), "counts,operations=ialltoall+alltoallv");
  options.operations.reset();
  options.operations.set(index_of(Exchange::alltoallv));
  EXPECT_ERROR(to_string(options), usage, "unsupported set of operations");
}

TEST(ProfilingOptions, RejectsOptionsThatRecordNothing) {
  ProfilingOptions options;
  options.counts = false;
  EXPECT_ERROR(to_string(options), usage, "specify one or more of counts, no-counts, times");
  EXPECT_ERROR(parse_profiling_options("no-counts"), usage, "nothing to record");
  options = {};
  options.operations.reset();
  EXPECT_ERROR(to_string(options), usage, "unsupported set of operations");
}

TEST(ProfilingOptions, KeepsDefaultsOfOptionsMissingFromText) {
  ProfilingOptions defaults;
  defaults.times = true;
  defaults.folder = "somewhere";
  defaults.limit = 3;
  const ProfilingOptions options = parse_profiling_options("sample=2", defaults);
  EXPECT_TRUE(options.counts && options.times);
  EXPECT_EQ(options.folder, "somewhere");
  EXPECT_EQ(options.limit, 3);
  EXPECT_EQ(options.sample, 2);
  EXPECT_FALSE(parse_profiling_options("locations", defaults).times);
}

TEST(ProfilingOptions, KeepsCountsUnlessTextOmitsThem) {
  EXPECT_TRUE(parse_profiling_options("times").counts);
  EXPECT_TRUE(parse_profiling_options("mpi,backtraces").counts);
  EXPECT_FALSE(parse_profiling_options("times,no-counts").counts);
  EXPECT_FALSE(parse_profiling_options("mpi").counts);
  EXPECT_EQ(to_string(parse_profiling_options("mpi")), "mpi");
}

TEST(ProfilingOptions, WritesDirectoryToSeparateVariable) {
  ProfilingOptions options;
  options.folder = "one, two";
  EXPECT_THAT(profiling_environment(options),
              ElementsAre(Pair("PLIMSOLL_PROFILER", "counts"), Pair("PLIMSOLL_PROFILER_FOLDER", "one, two")));
}

/// Returns random options, all of which can be written as text.
ProfilingOptions random_options(std::mt19937_64& generator) {
  const auto one_in = [&](std::uint64_t n) { return generator() % n == 0; };
  ProfilingOptions options;
  for (bool* content : {&options.counts, &options.times, &options.late_arrival, &options.locations,
                        &options.backtraces, &options.displacements, &options.mpi})
    *content = one_in(2);
  options.times = options.times || !options.counts;
  if (one_in(2)) options.first = generator() % 3;
  if (one_in(2)) options.limit = generator();
  if (one_in(2)) options.sample = 1 + generator() % 3;
  if (one_in(2)) options.memory_bytes = generator();
  if (one_in(2)) {
    for (std::size_t k = 0; k < Operation::count; ++k) options.operations[k] = one_in(2);
    for (std::size_t k = 0; k < Operation::count; ++k)
      if (const Exchange exchange = Operation::at(k).exchange; options.operations[index_of(exchange)])
        options.operations.set(k);
    options.operations.set(index_of(Exchange::alltoall, Mode::persistent));
  }
  options.write.compact = one_in(2);
  options.write.dotted_names = one_in(2);
  options.write.legacy_text = one_in(2);
  options.write.overwrite = one_in(2);
  options.merge_later = one_in(2);
  options.quiet = one_in(2);
  return options;
}

TEST(ProfilingOptions, ParsesWrittenOptions) {
  std::mt19937_64 generator(13);
  for (int round = 0; round < 2000; ++round) {
    const ProfilingOptions options = random_options(generator);
    const std::string text = to_string(options);
    EXPECT_EQ(parse_profiling_options(text), options) << text;
  }
}

}  // namespace
}  // namespace plimsoll::collectives
