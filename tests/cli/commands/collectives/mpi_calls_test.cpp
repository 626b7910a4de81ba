#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include <plimsoll/collectives/mpi_calls.hpp>

#include "cli/commands/collectives/profile.hpp"
#include "cli/json.hpp"
#include "cli/program.hpp"
#include "collectives/mpi_calls/example_calls.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class CollectivesMpiShare : public ::testing::Test {
 protected:
  CollectivesMpiShare() {
    write_file(folder_ / collectives::mpi_calls_file_name, to_json(collectives::example_calls()));
  }
  Outcome run(const char* command, std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(), {"collectives", command, folder_.path()});
    return run_plimsoll(arguments);
  }

  TemporaryFolder folder_;
};

TEST_F(CollectivesMpiShare, IsSummarisedWithFindings) {
  const Outcome outcome = run("summary");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with(
      "factor                 value  1 means\n"
      "-------------------  -------  ---------------------------------------\n"
      "parallel efficiency    0.475  no time in MPI\n"
      "  load balance         0.594  same work on all ranks\n"
      "    between nodes      0.792  same mean work on all nodes\n"
      "    within nodes       0.750  same work within each node\n"
      "  communication        0.800  busiest rank never in MPI\n"
      "    serialisation    unknown  no waits for the work of others in turn\n"
      "    transfer         unknown  transfers cost no time\n"
      "\n"
      "MPI takes 52.5 % of the run: 5.25 s of 10.0 s per rank.\n"
      "In MPI: 3.00 s (30.0 %) waiting for other ranks, 1.25 s (12.5 %) in calls of which an unknown part is "
      "waiting (MPI_Send, MPI_Waitall), 1.00 s (10.0 %) in the rest.\n"
      "Serialisation and transfer are unknown: they need --record critical-path.\n"
      "Outside MPI: imbalance 0.6842 (max 8.00 s on rank 3, min 3.00 s on rank 0, mean 4.75 s).\n"
      "Point-to-point: 800 B in 8 messages, 400 B (50.0 %) between 2 nodes.\n"))
      << outcome.out;
  EXPECT_THAT(outcome.out,
              HasSubstr("MPI_Allreduce  collective      8  16.0 s  40.0 %      4     0.2500   rank 0\n"));
  EXPECT_THAT(outcome.out,
              HasSubstr("   3  node1     10.0 s       8.00 s  2.00 s  20.0 %              0 s\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\nFindings\n- Load balance 0.594: rank 3 is outside"));
  EXPECT_THAT(outcome.out, HasSubstr("\n  Next: plimsoll collectives sites " + folder_.path() + "\n"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("counts")));
}

TEST_F(CollectivesMpiShare, SaysThatDriftingClocksMakeWaitsDoubtful) {
  collectives::MpiCalls calls = collectives::example_calls();
  calls.clock_error_s = 0.25;
  write_file(folder_ / collectives::mpi_calls_file_name, to_json(calls));
  EXPECT_THAT(
      run("summary").out,
      HasSubstr("Clocks of hosts differ: times on different hosts are comparable within 250 ms only, and "
                "the waiting may be 500 ms (5.0 %) more or less.\n"));
  calls.clock_error_s = 0.01;
  write_file(folder_ / collectives::mpi_calls_file_name, to_json(calls));
  EXPECT_THAT(run("summary").out, Not(HasSubstr("Clocks")));
}

TEST_F(CollectivesMpiShare, HasNoMatrixAndNoPlacementIfOnlySumsAreKnown) {
  collectives::MpiCalls calls = collectives::example_calls();
  calls.sites.resize(1);
  calls.traffic.clear();
  write_file(folder_ / collectives::mpi_calls_file_name, to_json(calls));
  for (const char* command : {"matrix", "reorder"})
    for (const char* kind : {"p2p", "all"}) {
      const Outcome outcome = run(command, {"--traffic", kind});
      EXPECT_EQ(outcome.status, 1) << command;
      EXPECT_EQ(outcome.out, "") << command;
      EXPECT_THAT(outcome.err, HasSubstr("the profile contains only sums of MPI_Allreduce")) << command;
    }
  const Outcome calls_of_counts = run("calls");
  EXPECT_EQ(calls_of_counts.status, 1);
  EXPECT_THAT(calls_of_counts.err, HasSubstr("the program called none of Alltoall"));
  EXPECT_THAT(calls_of_counts.err, Not(HasSubstr("--record counts")));
}

TEST_F(CollectivesMpiShare, IsThatOfThreadsIfSeveralOfThemCallMpi) {
  collectives::MpiCalls calls = collectives::example_calls();
  for (collectives::MpiCalls::Rank& rank : calls.ranks) rank.threads = 4, rank.mpi_s *= 4;
  write_file(folder_ / collectives::mpi_calls_file_name, to_json(calls));
  EXPECT_THAT(run("summary").out,
              HasSubstr("MPI takes 52.5 % of the run: 5.25 s of 10.0 s per thread that calls MPI."));
  EXPECT_THAT(run("summary").out, HasSubstr("   1  node0     10.0 s        4       4.00 s  6.00 s  60.0 %"));
}

TEST_F(CollectivesMpiShare, IsUnknownOutsideMpiForAnUnknownNumberOfThreads) {
  collectives::MpiCalls calls = collectives::example_calls();
  for (const std::size_t rank : {1, 2}) calls.ranks[rank].threads.reset(), calls.ranks[rank].mpi_s = 15;
  write_file(folder_ / collectives::mpi_calls_file_name, to_json(calls));
  const std::string out = run("summary").out;
  EXPECT_TRUE(out.starts_with("MPI takes ")) << out;
  EXPECT_THAT(out, HasSubstr("On 2 ranks, several threads call MPI, whose number is unknown"));
  EXPECT_THAT(out, HasSubstr("Outside MPI: imbalance 0.4545 (max 8.00 s on rank 3, min 3.00 s"));
}

TEST_F(CollectivesMpiShare, SaysWhyEfficienciesAreUnknown) {
  collectives::MpiCalls calls = collectives::example_calls();
  calls.ranks[3].wall_s = 4;  // of 10 s
  write_file(folder_ / collectives::mpi_calls_file_name, to_json(calls));
  EXPECT_THAT(run("summary").out,
              HasSubstr("On 1 rank, less than half of the run was recorded (a pause, or an early end), so "
                        "the efficiencies are unknown.\n"));
}

TEST_F(CollectivesMpiShare, IsUnknownIfTheProgramEndedBeforeItsFirstCall) {
  collectives::MpiCalls calls = collectives::example_calls();
  calls.cut_short = collectives::NumberList::up_to(4);
  calls.functions.clear();
  calls.sites.clear();
  write_file(folder_ / collectives::mpi_calls_file_name, to_json(calls));
  const std::string out = run("summary").out;
  EXPECT_THAT(out,
              HasSubstr("Incomplete: the MPI calls of ranks 0-3 end before MPI_Finalize or are missing."));
  for (const char* text : {"MPI takes", "imbalance 0", "Findings", "efficiency"})
    EXPECT_THAT(out, Not(HasSubstr(text)));
}

TEST_F(CollectivesMpiShare, ShowsTimeWithoutProcessor) {
  EXPECT_THAT(run("summary").out, Not(HasSubstr("processor")));
  collectives::MpiCalls calls = collectives::example_calls();
  calls.ranks[3].user_s = 4;  // of 8 s
  calls.ranks[3].system_s = 0;
  write_file(folder_ / collectives::mpi_calls_file_name, to_json(calls));
  EXPECT_THAT(run("summary").out,
              HasSubstr("Of the time outside MPI, ranks were on a processor at most 50.0 %.\n"));
}

TEST_F(CollectivesMpiShare, IsComparedWithThatOfAnotherRun) {
  const TemporaryFolder other;
  collectives::MpiCalls calls = collectives::example_calls();
  calls.functions[0].time_s = {2.5, 2.5, 2.5, 0.5};
  for (collectives::MpiCalls::Rank& rank : calls.ranks) rank.wall_s = 8;
  write_file(other / collectives::mpi_calls_file_name, to_json(calls));
  const Outcome outcome = run("compare", {other.path()});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("load balance +0.594 +0.458 "));
  EXPECT_THAT(outcome.out, Not(HasSubstr("transfer")));
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("run +10.0 s +8.00 s +-20.0 %"));
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("MPI_Allreduce, calls +8 +8 +="));
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("MPI_Allreduce, time +16.0 s +8.00 s +-50.0 %"));
  const Json json(run("compare", {other.path(), "--json"}).out);
  EXPECT_EQ(json.number("/mpi/before/longest_wall_s"), 10);
  EXPECT_EQ(json.text("/mpi/functions/0/function"), "MPI_Allreduce");
  EXPECT_EQ(json.number("/mpi/functions/0/time_after_s"), 8);
}

TEST_F(CollectivesMpiShare, ScalesOverRunsOnDifferentNumbersOfRanks) {
  const TemporaryFolder other;
  collectives::MpiCalls calls;
  calls.ranks.assign(2, {.host = "a", .wall_s = 10, .mpi_s = 0, .threads = 1});
  write_file(other / collectives::mpi_calls_file_name, to_json(calls));
  const Outcome outcome = run("scaling", {other.path()});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("\nranks +2 +4\n"));
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("\nspeed-up +1.000 +1.000\n"));
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("\n  computation scaling +1.000 +1.053\n"));
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("\n    load balance +1.000 +0.594\n"));
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("\n      transfer +unknown +unknown\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\nnote: only 0.0 % of the time in MPI of " + folder_.path() +
                                     " is at call sites that " + other.path() + " has, too;"));
  const Json json(run("scaling", {other.path(), "--json"}).out);
  EXPECT_EQ(json.text("/runs/0/path"), other.path());
  EXPECT_DOUBLE_EQ(json.number("/runs/1/computation"), 20.0 / 19);
  EXPECT_DOUBLE_EQ(json.number("/runs/1/global"), 0.475 * 20 / 19);
  EXPECT_EQ(json.number("/runs/0/at_common_sites"), 1);
  EXPECT_EQ(run("scaling").status, 2) << "one run";
  std::filesystem::remove(other / collectives::mpi_calls_file_name);
  EXPECT_THAT(run("scaling", {other.path()}).err, HasSubstr("use plimsoll profile --record mpi"));
}

TEST_F(CollectivesMpiShare, IsSummarisedWithCollectives) {
  write_profile(folder_.path(), {{0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}, {1, 0, 0, 0}}, 1);
  const Outcome outcome = run("summary");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("MPI takes 52.5 % of the run"));
  EXPECT_THAT(outcome.out, HasSubstr("\n1 call of Alltoallv on 4 ranks sent 4 B in 4 messages"));
}

TEST_F(CollectivesMpiShare, IsPrintedAsJson) {
  const Json json(run("summary", {"--json"}).out);
  EXPECT_EQ(json.number("/mpi/share"), 0.525);
  EXPECT_EQ(json.number("/mpi/waited_s"), 12);
  EXPECT_EQ(json.number("/mpi/unknown_waits_s"), 5);
  EXPECT_EQ(json.text("/mpi/functions_with_unknown_waits/1"), "MPI_Waitall");
  EXPECT_DOUBLE_EQ(json.number("/mpi/efficiencies/communication"), 0.8);
  EXPECT_TRUE(json.is_null("/mpi/efficiencies/transfer"));
  EXPECT_TRUE(json.is_null("/mpi/ranks/0/user_s"));
  EXPECT_EQ(json.integer("/mpi/outside_mpi/max_rank"), 3);
  EXPECT_EQ(json.text("/mpi/functions/2/purpose"), "wait");
  EXPECT_EQ(json.number("/mpi/ranks/0/outside_s"), 3);
  EXPECT_EQ(json.number("/mpi/point_to_point/between_nodes_bytes"), 400);
  ASSERT_EQ(json.size("/findings"), 3u);
  EXPECT_THAT(json.text("/findings/2/text"),
              HasSubstr("from 0.792 to 0.864 (swap ranks 0 and 2); it saves at most 5.0 %"));
  for (std::size_t k = 0; k < 2; ++k) {
    const std::string command = json.text(("/findings/" + std::to_string(k) + "/command").c_str());
    ASSERT_TRUE(command.starts_with("plimsoll "));
    EXPECT_EQ(std::system((PLIMSOLL_PROGRAM + command.substr(8) + " >/dev/null").c_str()), 0) << command;
  }
  EXPECT_DOUBLE_EQ(json.number("/findings/0/share"), 0.325);
}

TEST_F(CollectivesMpiShare, JoinsMatrixAndReorder) {
  const Json only(run("matrix", {"--json"}).out);
  EXPECT_EQ(only.text("/traffic"), "p2p");
  EXPECT_EQ(only.number("/total_bytes"), 800);
  EXPECT_EQ(only.number("/between_nodes_bytes"), 400);
  EXPECT_THAT(run("matrix").out, HasSubstr("4 ranks sent 800 B in 8 point-to-point messages"));
  EXPECT_EQ(run("matrix", {"--traffic", "collectives"}).status, 1);

  write_profile(folder_.path(), {{0, 0, 0, 0}, {0, 0, 0, 0}, {1000, 0, 0, 0}, {0, 1000, 0, 0}}, 1);
  EXPECT_EQ(Json(run("matrix", {"--json"}).out).text("/traffic"), "collectives");
  EXPECT_EQ(Json(run("matrix", {"--traffic", "all", "--json"}).out).number("/total_bytes"), 2800);
  const Json collectives(run("reorder", {"--json"}).out);
  EXPECT_EQ(collectives.number("/before_bytes"), 2000);
  EXPECT_EQ(collectives.number("/after_bytes"), 0);
  const Json messages(run("reorder", {"--traffic", "p2p", "--json"}).out);
  EXPECT_EQ(messages.text("/traffic"), "p2p");
  EXPECT_EQ(messages.number("/before_bytes"), 400);
  EXPECT_EQ(messages.number("/after_bytes"), 400);
  EXPECT_EQ(run("matrix", {"--traffic", "all", "--operation", "Alltoallv"}).status, 2);
  EXPECT_EQ(run("matrix", {"--traffic", "both"}).status, 2);
}

}  // namespace

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
      "function       site                     calls  bytes    time  of run   waited  ranks  imbalance  "
      "slowest\n"
      "-------------  -----------------------  -----  -----  ------  ------  -------  -----  ---------  "
      "-------\n"
      "MPI_Allreduce  solve.c:20 (solve)           8  128 B  16.0 s  40.0 %   12.0 s      4     0.2500   "
      "rank 0\n"
      "MPI_Send       exchange.c:7 (exchange)      9  800 B  3.00 s   7.5 %  unknown      3     0.0000   "
      "rank 0\n"
      "... and 1 more line (--top 3 shows all)\n"
      "1 call failed (--json lists them by site).\n");
}

TEST_F(CollectivesSites, ShowsCallersOfWrappers) {
  collectives::MpiCalls calls = collectives::example_calls();
  const auto called_from = [](const std::string& function) {
    return std::vector<std::string>{"app(" + function + "+0x10) [0x10] md.c:7",
                                    "app(main+0x10) [0x20] md.c:9"};
  };
  calls.sites[0].callers = {{called_from("a"), 1, 6, 20, 30, 5.},
                            {called_from("b"), 1, 4, 10, 20, 3.},
                            {called_from("c"), 1, 2, 0, 8, 1.},
                            {called_from("d"), 1, 1, 8, 0, 1.}};
  write_file(folder_ / collectives::mpi_calls_file_name, to_json(calls));
  EXPECT_THAT(
      sites({}).out,
      HasSubstr("MPI_Allreduce  solve.c:20 (solve)           8  128 B  16.0 s  40.0 %   12.0 s      4  "
                "   0.2500   rank 0\n"
                "                 from md.c:7 (a)            1   50 B  6.00 s  15.0 %   5.00 s\n"
                "                 from md.c:7 (b)            1   30 B  4.00 s  10.0 %   3.00 s\n"
                "                 from md.c:7 (c)            1    8 B  2.00 s   5.0 %   1.00 s\n"
                "                 from elsewhere             5   40 B  4.00 s  10.0 %   3.00 s\n"
                "MPI_Send "));
  const Json json(sites({"--json"}).out);
  EXPECT_EQ(json.size("/sites/0/callers"), 4u);
  EXPECT_EQ(json.text("/sites/0/callers/3/locations/0"), "app(d+0x10) [0x10] md.c:7");
  EXPECT_EQ(json.integer("/sites/0/callers/3/sent_bytes"), 8);
  EXPECT_EQ(json.number("/sites/0/callers/3/waited_s"), 1);
  EXPECT_EQ(json.size("/sites/1/callers"), 0u);
  calls.sites[0].callers[0].waited_s.reset();  // as in files of other programs
  calls.sites[0].callers[0].sent_bytes.reset();
  write_file(folder_ / collectives::mpi_calls_file_name, to_json(calls));
  EXPECT_THAT(sites({}).out, HasSubstr("from md.c:7 (a)            1  unknown  6.00 s  15.0 %  unknown\n"));
  EXPECT_THAT(sites({}).out, HasSubstr("from elsewhere             5  unknown  4.00 s  10.0 %  unknown\n"));
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
