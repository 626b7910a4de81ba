#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/collectives/mpi_calls.hpp>

#include "cli/json.hpp"
#include "cli/program.hpp"
#include "collectives/mpi_calls/example_calls.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::HasSubstr;

class CollectivesSites : public ::testing::Test {
 protected:
  CollectivesSites() {
    write_file(folder_ / collectives::mpi_calls_file_name, to_json(collectives::example_calls()));
  }
  Outcome sites(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"collectives", "sites", folder_.path()});
    return run_plimsoll(arguments);
  }

  TemporaryFolder folder_;
};

TEST_F(CollectivesSites, ListsLongestFirst) {
  const Outcome outcome = sites({"--top", "2"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(
      outcome.out,
      "function       site                     calls  bytes    time  of run  waited <=  ranks  imbalance  "
      "slowest\n"
      "-------------  -----------------------  -----  -----  ------  ------  ---------  -----  ---------  "
      "-------\n"
      "MPI_Allreduce  solve.c:20 (solve)           8  128 B  16.0 s  40.0 %     12.0 s      4     0.2500   "
      "rank 0\n"
      "MPI_Send       exchange.c:7 (exchange)      9  800 B  3.00 s   7.5 %     3.00 s      3     0.0000   "
      "rank 0\n"
      "... and 1 more line (--top 3 shows all)\n"
      "1 call failed (--json lists them by site).\n");
}

TEST_F(CollectivesSites, PrintsJson) {
  const Json json(sites({"--sort", "waited", "--json"}).out);
  EXPECT_EQ(json.size("/sites"), 3u);
  EXPECT_EQ(json.text("/sites/0/function"), "MPI_Allreduce");
  EXPECT_EQ(json.text("/sites/0/location"), "app(solve+0x10) [0x1010] solve.c:20");
  EXPECT_EQ(json.number("/sites/0/share"), 0.4);
  EXPECT_EQ(json.number("/sites/0/waited_s"), 12);
  EXPECT_EQ(json.integer("/sites/0/fastest_rank"), 3);
  EXPECT_EQ(json.text("/sites/1/function"), "MPI_Send");
  EXPECT_EQ(json.integer("/sites/1/failed_calls"), 1);
}

TEST_F(CollectivesSites, RequiresRecordedCalls) {
  const TemporaryFolder empty;
  const Outcome outcome = run_plimsoll({"collectives", "sites", empty.path()});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("use plimsoll profile --record mpi"));
  write_file(folder_ / collectives::mpi_calls_file_name, "{}");
  EXPECT_EQ(sites({}).status, 1);
  EXPECT_THAT(sites({}).err, HasSubstr("mpi-calls.json: expected an object with \"format\""));
  EXPECT_EQ(sites({"--sort", "size"}).status, 2);
}

TEST(CollectivesSitesOfSeveralPrograms, AreNamedWithTheirProgram) {
  const TemporaryFolder folder;
  collectives::MpiCalls calls = collectives::example_calls();
  write_file(folder / collectives::mpi_calls_file_name, to_json(calls));
  EXPECT_THAT(run_plimsoll({"collectives", "sites", folder.path()}).out,
              ::testing::HasSubstr("MPI_Allreduce  solve.c:20 (solve) "));
  calls.sites[1].location = "/opt/other(exchange+0x20) [0x2020] exchange.c:7";
  write_file(folder / collectives::mpi_calls_file_name, to_json(calls));
  const std::string out = run_plimsoll({"collectives", "sites", folder.path()}).out;
  EXPECT_THAT(out, ::testing::HasSubstr("MPI_Allreduce  app: solve.c:20 (solve) "));
  EXPECT_THAT(out, ::testing::HasSubstr("MPI_Send       other: exchange.c:7 (exchange) "));
}

}  // namespace
}  // namespace plimsoll::testing
