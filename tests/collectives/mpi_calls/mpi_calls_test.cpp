#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/mpi_calls.hpp>

#include "collectives/mpi_calls/example_calls.hpp"
#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::collectives {
namespace {

TEST(MpiPurpose, IsKnownForEachKindOfFunction) {
  for (const char* transfer : {"MPI_Send", "MPI_Isend", "MPI_Recv_init", "MPI_Sendrecv_replace",
                               "MPI_Startall", "MPI_Psend_init", "MPI_Put", "MPI_Rget_accumulate"})
    EXPECT_EQ(purpose_of(transfer), MpiPurpose::transfer) << transfer;
  for (const char* wait :
       {"MPI_Wait", "MPI_Testsome", "MPI_Improbe", "MPI_Win_fence", "MPI_Win_flush_local_all"})
    EXPECT_EQ(purpose_of(wait), MpiPurpose::wait) << wait;
  for (const char* collective : {"MPI_Bcast", "MPI_Barrier", "MPI_Neighbor_allgather", "MPI_Comm_split",
                                 "MPI_Intercomm_create", "MPI_Win_create"})
    EXPECT_EQ(purpose_of(collective), MpiPurpose::collective) << collective;
  for (const char* start :
       {"MPI_Ibcast", "MPI_Ibarrier", "MPI_Alltoallw_init", "MPI_Ineighbor_allgather", "MPI_Comm_idup"})
    EXPECT_EQ(purpose_of(start), MpiPurpose::collective_start) << start;
  for (const char* file : {"MPI_File_write_at_all", "MPI_File_iread", "MPI_File_set_size"})
    EXPECT_EQ(purpose_of(file), MpiPurpose::file) << file;
}

TEST(MpiPurpose, IsTheSameForLargeCounts) {
  EXPECT_EQ(purpose_of("MPI_Send_c"), MpiPurpose::transfer);
  EXPECT_EQ(purpose_of("MPI_Allreduce_c"), MpiPurpose::collective);
  EXPECT_EQ(purpose_of("MPI_Bcast_init_c"), MpiPurpose::collective_start);
  EXPECT_EQ(purpose_of("MPI_File_write_c"), MpiPurpose::file);
}

TEST(MpiPurpose, TellsWhetherFunctionsMayWait) {
  for (const char* name :
       {"MPI_Wait", "MPI_Testany", "MPI_Recv", "MPI_Sendrecv_c", "MPI_Ssend", "MPI_Allreduce", "MPI_Barrier",
        "MPI_Comm_dup", "MPI_File_open", "MPI_File_write_all", "MPI_File_read_ordered_end"})
    EXPECT_TRUE(may_wait(name)) << name;
  for (const char* name : {"MPI_Irecv", "MPI_Bsend", "MPI_Start", "MPI_Put", "MPI_Ibarrier", "MPI_File_write",
                           "MPI_File_write_all_begin", "MPI_File_iread_at_all"})
    EXPECT_FALSE(may_wait(name)) << name;
}

}  // namespace

namespace {

/// The text of the smallest file that has all members, as docs/reference/mpi-calls-file.md describes it.
const std::string small_file =
    R"({"format":"plimsoll MPI calls","version":1,"ranks":[{"host":"a","wall_s":2,"mpi_s":0.5},)"
    R"({"host":"b","wall_s":2.0,"mpi_s":1}],"functions":[{"name":"MPI_Send","calls":[4,0],)"
    R"("time_s":[0.5,0]}],"sites":[{"function":"MPI_Send","location":"main.c:3","ranks":1,"calls":4,)"
    R"("failed_calls":1,"sent_bytes":24,"received_bytes":0,"time_s":0.5,"max_time_s":0.5,"min_time_s":0.5,)"
    R"("slowest_rank":0,"fastest_rank":0,"longest_call_s":0.25,"waited_s":null}],"traffic":[[0,1,3,24]]})";

std::string with(std::string text, const std::string& old, const std::string& replacement) {
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), replacement);
}

TEST(MpiCallsFile, ReadsDocumentedMembers) {
  const MpiCalls calls = parse_mpi_calls(small_file, "file");
  ASSERT_EQ(calls.ranks.size(), 2u);
  EXPECT_EQ(calls.ranks[1].host, "b");
  EXPECT_EQ(calls.ranks[0].wall_s, 2);
  EXPECT_EQ(calls.ranks[1].mpi_s, 1);
  ASSERT_EQ(calls.functions.size(), 1u);
  EXPECT_EQ(calls.functions[0].calls, (std::vector<std::uint64_t>{4, 0}));
  EXPECT_EQ(calls.functions[0].time_s, (std::vector<double>{0.5, 0}));
  ASSERT_EQ(calls.sites.size(), 1u);
  EXPECT_EQ(calls.sites[0], (MpiCalls::Site{.function = 0,
                                            .location = "main.c:3",
                                            .ranks = 1,
                                            .calls = 4,
                                            .failed_calls = 1,
                                            .sent_bytes = 24,
                                            .time_s = 0.5,
                                            .max_time_s = 0.5,
                                            .min_time_s = 0.5,
                                            .longest_call_s = 0.25}));
  ASSERT_EQ(calls.traffic.size(), 1u);
  EXPECT_EQ(calls.traffic[0], (MpiCalls::Traffic{0, 1, 3, 24}));
}

TEST(MpiCallsFile, KnowsNothingOfMissingValues) {
  const MpiCalls calls = parse_mpi_calls(with(small_file, R"(,"waited_s":null)", ""), "file");
  EXPECT_EQ(calls, parse_mpi_calls(small_file, "file"));
  EXPECT_EQ(calls.sites.at(0).waited_s, std::nullopt);
  EXPECT_EQ(calls.ranks.at(0), (MpiCalls::Rank{.host = "a", .wall_s = 2, .mpi_s = 0.5}));
  EXPECT_EQ(calls.ranks.at(0).user_s, std::nullopt);
  EXPECT_EQ(calls.ideal_s, std::nullopt);
}

TEST(MpiCallsFile, ReadsUseOfProcessors) {
  const MpiCalls calls = parse_mpi_calls(
      with(
          small_file, R"("mpi_s":0.5)",
          R"("mpi_s":0.5,"waited_s":0.25,"threads":2,"user_s":1.5,"system_s":0.5,"voluntary_switches":3,)"
          R"("involuntary_switches":4,"core_wait_s":0.125,"instructions":9,"cycles":6,"cores":"0-3, 8","peak_memory_bytes":4096)"),
      "file");
  MpiCalls::Rank expected{.host = "a",
                          .wall_s = 2,
                          .mpi_s = 0.5,
                          .waited_s = 0.25,
                          .threads = 2,
                          .user_s = 1.5,
                          .system_s = 0.5,
                          .voluntary_switches = 3,
                          .involuntary_switches = 4,
                          .core_wait_s = 0.125,
                          .instructions = 9,
                          .cycles = 6,
                          .cores = NumberList::up_to(4),
                          .peak_memory_bytes = 4096};
  expected.cores.push_back(8);
  EXPECT_EQ(calls.ranks.at(0), expected);
}

TEST(MpiCallsFile, IsUnchangedAfterWritingAndReading) {
  const testing::TemporaryFolder folder;
  MpiCalls calls = example_calls();
  calls.run = "00c4d6e1b2a39f58";
  calls.ideal_s = 9.5;
  calls.clock_error_s = 0.001;
  calls.ideal_unknown = "the program cancelled messages";
  calls.regions_ideal_unknown = "other threads call MPI";
  calls.ranks[1].user_s = 3.5;
  calls.ranks[1].involuntary_switches = 0;
  calls.ranks[1].cores = NumberList::up_to(2);
  EXPECT_EQ(read_mpi_calls(folder.write(mpi_calls_file_name, to_json(calls))), calls);
}

TEST(MpiCallsFile, RejectsInvalidContentWithItsPlace) {
  for (const auto& [old, replacement, message] : std::vector<std::array<const char*, 3>>{
           {"plimsoll MPI calls", "other", "expected an object with \"format\": \"plimsoll MPI calls\""},
           {"\"version\":1", "\"version\":2", "/version: unsupported version: expected 1"},
           {"\"wall_s\":2.0", "\"wall_s\":-1", "/ranks/1/wall_s: invalid time -1: must be >= 0"},
           {"\"mpi_s\":0.5", "\"mpi_s\":\"x\"", "/ranks/0/mpi_s: expected a number"},
           {"\"mpi_s\":0.5", "\"mpi_s\":0.5,\"user_s\":-1", "/ranks/0/user_s: invalid time -1: must be >= 0"},
           {"\"mpi_s\":0.5", "\"mpi_s\":0.5,\"cores\":\"\"", "/ranks/0/cores: expected an ascending list"},
           {"\"mpi_s\":0.5", "\"mpi_s\":0.5,\"cores\":\"2, 0-2\"",
            "/ranks/0/cores: expected an ascending list"},
           {"\"mpi_s\":0.5", "\"mpi_s\":0.5,\"threads\":-1", "/ranks/0/threads: invalid value -1"},
           {"\"host\":\"a\",", "", "/ranks/0: missing member \"host\""},
           {"MPI_Send", "send", "/functions/0/name: expected the name of an MPI function"},
           {"[4,0]", "[4]", "/functions/0/calls: 1 values: expected 2, one per rank"},
           {"[0.5,0]", "[0.5,0,0]", "/functions/0/time_s: 3 values: expected 2, one per rank"},
           {"\"function\":\"MPI_Send\"", "\"function\":\"MPI_Recv\"",
            "/sites/0/function: \"MPI_Recv\" is missing in \"functions\""},
           {"\"ranks\":1", "\"ranks\":3", "/sites/0/ranks: invalid value 3: expected 1 to 2"},
           {"\"calls\":4", "\"calls\":-4", "/sites/0/calls: invalid value -4: expected 0 to"},
           {"\"slowest_rank\":0", "\"slowest_rank\":2", "/sites/0/slowest_rank: invalid value 2"},
           {"[0,1,3,24]", "[0,2,3,24]", "/traffic/0/1: invalid value 2: expected 0 to 1"},
           {"[0,1,3,24]", "[0,1,3]", "/traffic/0: expected [sender, receiver, messages, bytes]"},
           {"[0,1,3,24]", "[0,1,3,24],[0,1,1,1]", "/traffic/1: expected ascending pairs of ranks"},
           {"\"traffic\":[[0,1,3,24]]", "\"traffic\":{}", "/traffic: expected an array"}})
    EXPECT_ERROR(parse_mpi_calls(with(small_file, old, replacement), "file"), bad_input, message);
  EXPECT_ERROR(parse_mpi_calls("{", "file"), bad_input, "invalid JSON");
  EXPECT_ERROR(read_mpi_calls("absent/mpi-calls.json"), system, "absent/mpi-calls.json");
}

TEST(MpiCallsFile, IsFoundInDirectories) {
  const testing::TemporaryFolder with_calls;
  const testing::TemporaryFolder without_calls;
  const std::string file = with_calls.write(mpi_calls_file_name, small_file);
  EXPECT_EQ(find_mpi_calls({without_calls.path()}), std::nullopt);
  EXPECT_EQ(find_mpi_calls({without_calls.path(), with_calls.path(), file}),
            parse_mpi_calls(small_file, file));
  EXPECT_TRUE(collectives::read({with_calls.path()}).profile.leads.empty());
  without_calls.write(mpi_calls_file_name, small_file);
  EXPECT_ERROR(find_mpi_calls({with_calls.path(), without_calls.path()}), usage, "MPI calls of several runs");
}

TEST(MpiCallsFile, RejectsFunctionsOutOfOrder) {
  const std::string send = R"({"name":"MPI_Send","calls":[4,0],"time_s":[0.5,0]})";
  EXPECT_ERROR(parse_mpi_calls(with(small_file, send, send + "," + send), "file"), bad_input,
               "/functions/1/name: \"MPI_Send\" follows \"MPI_Send\": expected ascending names");
}

}  // namespace
}  // namespace plimsoll::collectives
