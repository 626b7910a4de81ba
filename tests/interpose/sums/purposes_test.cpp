// Compares what the analysis knows about each intercepted function with the table of these functions.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include <plimsoll/collectives/mpi_calls.hpp>

#include "interpose/wrappers/wrapped_calls.hpp"

namespace plimsoll::collectives {

std::ostream& operator<<(std::ostream& out, MpiPurpose purpose) {
  return out << to_string(purpose);
}

namespace {

struct Call {
  std::string name;
  std::string data;  ///< rule for the transferred data
};

#define CALL(Name, name, NAME, arity, Data) {"MPI_" #Name, #Data},
const std::vector<Call> wait_calls{PLIMSOLL_WAIT_CALLS(CALL) PLIMSOLL_TEST_CALLS(CALL)};
const std::vector<Call> one_sided_calls{PLIMSOLL_ONE_SIDED_CALLS(CALL, CALL)};
const std::vector<Call> file_calls{PLIMSOLL_FILE_CALLS(CALL, CALL)};
const std::vector<Call> management_calls{PLIMSOLL_MANAGEMENT_CALLS(CALL, CALL)};
const std::vector<Call> other_calls{PLIMSOLL_BLOCKING_CALLS(CALL, CALL) PLIMSOLL_NONBLOCKING_CALLS(CALL, CALL)
                                        PLIMSOLL_PERSISTENT_CALLS(CALL, CALL)};
#undef CALL

bool has_rule_of_point_to_point(const Call& call) {
  for (const char* rule : {"Send", "SynchronousSend", "ReceiveMessage", "StartReceive", "MatchedReceive",
                           "StartMatchedReceive", "Sendrecv", "SendrecvReplace", "StartSendrecv",
                           "StartSendrecvReplace", "Start", "Startall", "PartitionedSend"})
    if (call.data == rule) return true;
  return false;
}

void expect(const std::vector<Call>& calls, MpiPurpose purpose) {
  for (const Call& call : calls) EXPECT_EQ(purpose_of(call.name), purpose) << call.name;
}

TEST(MpiPurposeOfInterceptedCalls, IsWaitForCallsThatCompleteRequests) {
  expect(wait_calls, MpiPurpose::wait);
}

TEST(MpiPurposeOfInterceptedCalls, IsTransferIfOneSidedCallsHaveData) {
  for (const Call& call : one_sided_calls)
    expect({call}, call.data == "Nothing" ? MpiPurpose::wait : MpiPurpose::transfer);
}

TEST(MpiPurposeOfInterceptedCalls, IsFileForInputAndOutput) {
  expect(file_calls, MpiPurpose::file);
}

TEST(MpiPurposeOfInterceptedCalls, IsCollectiveForCallsThatMakeCommunicatorsAndWindows) {
  for (const Call& call : management_calls)
    expect({call},
           call.name.starts_with("MPI_Comm_idup") ? MpiPurpose::collective_start : MpiPurpose::collective);
}

TEST(MpiPurposeOfInterceptedCalls, IsTransferExactlyIfTheRuleOfTheDataIsThatOfAMessage) {
  for (const Call& call : other_calls) {
    if (call.data == "Nothing") continue;
    EXPECT_EQ(purpose_of(call.name) == MpiPurpose::transfer, has_rule_of_point_to_point(call)) << call.name;
  }
}

}  // namespace
}  // namespace plimsoll::collectives
