#include <gtest/gtest.h>

#include <plimsoll/collectives/processor_use.hpp>

namespace plimsoll::collectives {
namespace {

NumberList cores_from(std::uint64_t first, std::uint64_t last) {
  NumberList cores;
  cores.append({first, last});
  return cores;
}

/// Returns a rank that is outside MPI for 8 of 10 s.
MpiCalls::Rank rank_with(double cpu_s, double core_wait_s, const NumberList& cores) {
  return {.host = "a",
          .wall_s = 10,
          .mpi_s = 2,
          .threads = 1,
          .user_s = cpu_s - 0.5,
          .system_s = 0.5,
          .involuntary_switches = 1000,
          .core_wait_s = core_wait_s,
          .cores = cores};
}

TEST(ProcessorUse, IsTimeOutsideMpiBeyondTheCpuTime) {
  EXPECT_DOUBLE_EQ(off_processor_s(rank_with(3, 0, {})).value(), 5);
  EXPECT_EQ(off_processor_s(rank_with(9, 0, {})), 0) << "polling in MPI takes CPU time, too";
  MpiCalls::Rank threads = rank_with(9, 0, {});
  threads.threads = 2;  // outside MPI for 18 s
  EXPECT_DOUBLE_EQ(off_processor_s(threads).value(), 9);
  threads.user_s.reset();
  EXPECT_EQ(off_processor_s(threads), std::nullopt);
}

// Each rank is off the processor for 6 s outside MPI, and waits for a core for 7 s, of which 2 s may be in
// MPI.
TEST(ProcessorUse, KnowsRanksThatShareTheirCores) {
  MpiCalls calls;
  calls.ranks.assign(4, rank_with(2, 7, cores_from(0, 1)));
  ProcessorUse use = processor_use(calls);
  EXPECT_EQ(use.cause, ProcessorUse::Cause::oversubscribed);
  EXPECT_EQ(use.oversubscription, (Oversubscription{"a", 4, 4, 2}));
  EXPECT_DOUBLE_EQ(use.off_s, 24);
  EXPECT_DOUBLE_EQ(use.off_share(), 0.75);
  EXPECT_DOUBLE_EQ(use.without_core_s, 28);
  calls.ranks.resize(2);
  calls.ranks[0].waited_s = 1.5;
  calls.ranks[1].waited_s = 8;
  use = processor_use(calls);
  EXPECT_DOUBLE_EQ(use.without_core_s, 5.5) << "ranks that wait for others need no core";
  EXPECT_EQ(use.cause, ProcessorUse::Cause::interrupted) << "each rank may have a core";
  EXPECT_EQ(use.oversubscription, std::nullopt);
}

TEST(ProcessorUse, BlamesNoCrowdForSleep) {
  MpiCalls calls;
  calls.ranks.assign(4, rank_with(2, 2.5, cores_from(0, 1)));
  EXPECT_EQ(processor_use(calls).cause, ProcessorUse::Cause::waiting) << "2.5 of 6 s at most";
  for (MpiCalls::Rank& rank : calls.ranks) rank.core_wait_s = 4.5;
  EXPECT_EQ(processor_use(calls).cause, ProcessorUse::Cause::unknown) << "2.5 to 4.5 of 6 s";
  for (MpiCalls::Rank& rank : calls.ranks) rank.core_wait_s.reset();
  EXPECT_EQ(processor_use(calls).cause, ProcessorUse::Cause::unknown) << "1,000 switches may take 100 s";
  for (MpiCalls::Rank& rank : calls.ranks) rank.involuntary_switches = 5;
  EXPECT_EQ(processor_use(calls).cause, ProcessorUse::Cause::waiting) << "20 switches do not take 12 s";
  calls.ranks[0].involuntary_switches.reset();
  EXPECT_EQ(processor_use(calls).cause, ProcessorUse::Cause::unknown);
}

TEST(ProcessorUse, FindsCrowdedCoresOnHostsWithIdleOnes) {
  MpiCalls calls;
  calls.ranks = {rank_with(2, 9, cores_from(0, 0)), rank_with(2, 9, cores_from(0, 0)),
                 rank_with(2, 9, cores_from(1, 7))};
  EXPECT_EQ(find_oversubscription(calls), (Oversubscription{"a", 2, 2, 1}));
  calls.ranks[1].cores = cores_from(0, 1);
  EXPECT_EQ(find_oversubscription(calls), std::nullopt);
  calls.ranks[2].cores = cores_from(1, 1);
  EXPECT_EQ(find_oversubscription(calls), (Oversubscription{"a", 3, 3, 2}));
  calls.ranks[2].host = "b";  // a core 1 of another host
  EXPECT_EQ(find_oversubscription(calls), std::nullopt);
  calls.ranks.resize(1);
  calls.ranks[0].threads = 3;
  EXPECT_EQ(find_oversubscription(calls), (Oversubscription{"a", 1, 3, 1}));
  calls.ranks.assign(2, rank_with(2, 9, {}));
  EXPECT_EQ(find_oversubscription(calls), std::nullopt) << "unknown cores";
}

}  // namespace
}  // namespace plimsoll::collectives
