#include <gtest/gtest.h>

#include <plimsoll/collectives/mpi_summary.hpp>

#include "collectives/mpi_calls/example_calls.hpp"

namespace plimsoll::collectives {
namespace {

TEST(CallSites, HaveShareOfRunAndImbalance) {
  const MpiCalls calls = example_calls();
  const std::vector<CallSite> sites = list_call_sites(calls);
  ASSERT_EQ(sites.size(), 3u);
  EXPECT_EQ(*sites[0].function, "MPI_Allreduce");
  EXPECT_EQ(sites[0].share, 16.0 / 40);
  EXPECT_EQ(sites[0].imbalance, 5.0 / 4 - 1);
  EXPECT_EQ(sites[0].bytes(), 128u);
  EXPECT_EQ(sites[1].imbalance, 0);  // over the three ranks that made the call
}

TEST(CallSites, WaitedForOtherRanksIfTheTimeShowsIt) {
  MpiCalls calls = example_calls();
  const std::vector<CallSite> sites = list_call_sites(calls);
  EXPECT_EQ(sites[0].waited_s, 12);         // beyond the fastest rank
  EXPECT_EQ(sites[1].waited_s, 3);          // a blocking transfer
  EXPECT_EQ(sites[2].waited_s, 2);          // a wait
  calls.sites[0].beyond_fastest_s.reset();  // different numbers of calls
  EXPECT_EQ(list_call_sites(calls)[0].waited_s, std::nullopt);
  calls.sites[0].beyond_fastest_s = 12;
  calls.functions[0].name = "MPI_Iallreduce";  // another call waits
  EXPECT_EQ(list_call_sites(calls)[0].waited_s, std::nullopt);
  calls.functions[1].name = "MPI_Isend";
  EXPECT_EQ(list_call_sites(calls)[1].waited_s, std::nullopt);
}

TEST(CallSites, AreSorted) {
  const MpiCalls calls = example_calls();
  EXPECT_EQ(*list_call_sites(calls, SiteOrder::by_bytes)[0].function, "MPI_Send");  // first of two with 800 B
  EXPECT_EQ(*list_call_sites(calls, SiteOrder::by_calls)[0].function, "MPI_Send");
  EXPECT_EQ(*list_call_sites(calls, SiteOrder::by_wait)[2].function, "MPI_Waitall");
}

TEST(CallSites, HaveShortNames) {
  EXPECT_EQ(short_location("/opt/app(solve+0x1f) [0x1a3f] /src/solve.c:20"), "solve.c:20 (solve)");
  EXPECT_EQ(short_location("/opt/app(ns::run(int)+0x1f) [0x1a3f] run.cpp:7"), "run.cpp:7 (ns::run(int))");
  EXPECT_EQ(short_location("/opt/app(solve+0x1f) [0x1a3f]"), "app(solve+0x1f) [0x1a3f]");
  EXPECT_EQ(short_location("/opt/app [0x1a3f]"), "app [0x1a3f]");
  EXPECT_EQ(short_location("unknown"), "unknown");
  EXPECT_EQ(module_name("/opt/app(solve+0x1f) [0x1a3f] /src/solve.c:20"), "app");
  EXPECT_EQ(module_name("/opt/app [0x1a3f]"), "app");
  EXPECT_EQ(module_name("unknown"), "unknown");
}

}  // namespace
}  // namespace plimsoll::collectives
