// Runs third-party programs whose counts can be derived by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <regex>
#include <sstream>

#include <plimsoll/collectives/files.hpp>

#include "common/shared_data.hpp"
#include "interpose/mpi_run.hpp"

namespace plimsoll::testing {
namespace {

using collectives::Exchange;
using collectives::Profile;
using collectives::Signature;

// Returns Open MPI, for which Debian builds FFTW and HPCC.
const TestedMpi* open_mpi() {
  const auto& mpis = tested_mpis();
  const auto found =
      std::find_if(mpis.begin(), mpis.end(), [](const auto& mpi) { return mpi.name == "openmpi"; });
  return found == mpis.end() ? nullptr : &*found;
}

TEST(ProfilingRealPrograms, RecordsCountsOfFftwTranspose) {
#ifndef PLIMSOLL_TEST_FFTW
  GTEST_SKIP() << "needs FFTW for Open MPI (libfftw3-dev, libfftw3-mpi-dev)";
#else
  const std::string program = open_mpi()->program("fftw_transform");
  const Outcome expected = run({.mpi = *open_mpi(), .program = program, .profiled = false});
  ASSERT_EQ(expected.status, 0) << expected.err;
  const TemporaryFolder folder;
  const Outcome outcome =
      run({.mpi = *open_mpi(), .program = program, .options = "counts,folder=" + folder.path()});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, expected.out);

  // On four ranks, the 10 rows are split into 3, 3, 3, 1 and the 6 columns into 2, 2, 2, 0. Each rank sends
  // the complex numbers, two doubles each, in its own rows and the receiver's columns. That makes 3 * 2 * 2 =
  // 12 or 1 * 2 * 2 = 4 doubles. Each of the three transforms transposes once.
  EXPECT_EQ(file_content(folder / "send-counters.job0.rank0.txt"),
            "# Raw counters\n\nNumber of ranks: 4\nDatatype size: 8\nAlltoallv calls 0-2\n"
            "Count: 3 calls - 0-2\n\n\nBEGINNING DATA\n"
            "Rank(s) 0-2: 12 12 12 0 \nRank(s) 3: 4 4 4 0 \nEND DATA\n");
  EXPECT_EQ(file_content(folder / "recv-counters.job0.rank0.txt"),
            "# Raw counters\n\nNumber of ranks: 4\nDatatype size: 8\nAlltoallv calls 0-2\n"
            "Count: 3 calls - 0-2\n\n\nBEGINNING DATA\n"
            "Rank(s) 0-2: 12 12 12 4 \nRank(s) 3: 0 0 0 0 \nEND DATA\n");
#endif
}

// Input of HPCC: HPL with 64 equations, from which the other benchmarks derive their sizes.
constexpr const char* hpcc_input = R"(HPLinpack benchmark input file
-
HPL.out      output file name
8            device out
1            # of problems sizes (N)
64           Ns
1            # of NBs
16           NBs
0            PMAP process mapping
1            # of process grids (P x Q)
2            Ps
2            Qs
16.0         threshold
1            # of panel fact
2            PFACTs
1            # of recursive stopping criterium
4            NBMINs
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs
1            # of broadcast
1            BCASTs
1            # of lookahead depth
1            DEPTHs
2            SWAP
64           swapping threshold
0            L1 in form
0            U  in form
1            Equilibration
8            memory alignment in double
-
0            number of additional problem sizes for PTRANS
1200         values of N
0            number of additional blocking sizes for PTRANS
40           values of NB
)";

// Returns the lines "NAME=VALUE" of HPCC's summary, except times and rates.
std::map<std::string, std::string> hpcc_results(const std::string& folder) {
  static const std::regex measured(".*(time|Time|GUPs|flops|GBs|GBytes|usec|(Copy|Scale|Add|Triad)$).*");
  std::istringstream text(file_content(folder + "/hpccoutf.txt"));
  std::map<std::string, std::string> results;
  bool in_summary = false;
  for (std::string line; std::getline(text, line);) {
    in_summary = in_summary || line.starts_with("Begin of Summary");
    const std::string name = line.substr(0, line.find('='));
    if (in_summary && name.size() < line.size() && !std::regex_match(name, measured))
      results[name] = line.substr(name.size() + 1);
  }
  return results;
}

std::uint64_t number_of_calls(const Profile& profile) {
  std::uint64_t calls = 0;
  for (const auto& lead : profile.leads)
    for (const Signature& signature : lead.signatures) calls += signature.calls.size();
  return calls;
}

TEST(ProfilingRealPrograms, KeepsResultsOfHpcc) {
  if (open_mpi() == nullptr || std::string(PLIMSOLL_HPCC).empty())
    GTEST_SKIP() << "needs HPCC for Open MPI (package hpcc)";
  const TestedMpi& mpi = *open_mpi();
  const TemporaryFolder alone;
  const TemporaryFolder together;
  write_file(alone / "hpccinf.txt", hpcc_input);
  write_file(together / "hpccinf.txt", hpcc_input);
  const TemporaryFolder logs;
  const Outcome expected = run({.mpi = mpi,
                                .program = PLIMSOLL_HPCC,
                                .profiled = false,
                                .preload_before = mpi.program("libapplication_call_log") + ".so",
                                .environment = {{"PLIMSOLL_CALL_LOG", logs.path()}},
                                .working_folder = alone.path()});
  ASSERT_EQ(expected.status, 0) << expected.err;
  const TemporaryFolder folder;
  const Outcome outcome = run({.mpi = mpi,
                               .program = PLIMSOLL_HPCC,
                               .options = "counts,times,late-arrival,backtraces,folder=" + folder.path(),
                               .working_folder = together.path()});
  EXPECT_EQ(outcome.status, expected.status) << outcome.err;
  const auto results = hpcc_results(together.path());
  EXPECT_EQ(results, hpcc_results(alone.path()));
  EXPECT_EQ(results.at("Success"), "1");

  // Another library counted the calls of each rank without the profiler. All of them are MPI_Alltoall on
  // MPI_COMM_WORLD.
  const std::string a_log = file_content(logs / *files_in(logs.path()).begin());
  const std::regex alltoall("Alltoall world\n");
  const auto calls = std::distance(std::sregex_iterator(a_log.begin(), a_log.end(), alltoall), {});
  EXPECT_GT(calls, 0);
  const Profile profile = collectives::read({folder.path()}).profile;
  EXPECT_EQ(number_of_calls(profile), static_cast<std::uint64_t>(calls));

  // The transform of 512 complex numbers is transposed between 4 ranks. Each rank has 128 numbers of 16 bytes
  // and sends a quarter of them to each rank.
  ASSERT_EQ(results.at("MPIFFT_N"), "512");
  ASSERT_EQ(profile.leads.size(), 1U);
  const auto& signatures = profile.leads[0].signatures;
  EXPECT_TRUE(std::any_of(signatures.begin(), signatures.end(), [](const Signature& signature) {
    return signature.operation.exchange == Exchange::alltoall && signature.comm_size == 4 &&
           signature.send.matrix.counts[0] * static_cast<std::int64_t>(signature.send.type_size) == 32 * 16;
  }));
}

}  // namespace
}  // namespace plimsoll::testing
