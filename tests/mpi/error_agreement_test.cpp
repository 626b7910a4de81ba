#include <gtest/gtest.h>
#include <mpi.h>

#include <new>
#include <optional>
#include <stdexcept>
#include <string>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/support/error.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::mpi {
namespace {

class ErrorAgreement : public ::testing::Test {
 protected:
  /// Returns the error that agree() throws if the ranks with `fails(rank)` have the error `error(rank)`.
  template <class Fails, class MakeError>
  std::optional<Error> agreed_error(const Fails& fails, const MakeError& error) {
    std::optional<Error> mine;
    if (fails(rank)) mine = error(rank);
    return testing::error_of([&] { agree(communicator, mine); });
  }

  // Checks after every case that all ranks are still synchronised.
  void TearDown() override { communicator.barrier(); }

  const Communicator communicator{MPI_COMM_WORLD};
  const int rank = communicator.rank();
  const int size = communicator.size();
};

Error error_of_rank(int rank) {
  return support::bad_input("number " + std::to_string(rank));
}

TEST_F(ErrorAgreement, ThrowsNothingWithoutError) {
  for (int k = 0; k < 10; ++k) EXPECT_NO_THROW(agree(communicator, std::nullopt));
  int worked = 0;
  EXPECT_NO_THROW(agreed(communicator, [&] { ++worked; }));
  EXPECT_EQ(worked, 1);
}

TEST_F(ErrorAgreement, ThrowsErrorOfOneRankOnAllRanks) {
  if (size < 2) GTEST_SKIP() << "requires two ranks";
  for (int failing = 0; failing < size; ++failing) {
    const auto error = agreed_error([&](int r) { return r == failing; }, error_of_rank);
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->kind(), ErrorKind::bad_input);
    EXPECT_EQ(error->diagnostic().what,
              "rank " + std::to_string(failing) + ": number " + std::to_string(failing));
  }
}

TEST_F(ErrorAgreement, ThrowsErrorOfLowestFailedRank) {
  if (size < 2) GTEST_SKIP() << "requires two ranks";
  for (int lowest = 0; lowest < size; ++lowest) {
    // The error kind of the first rank differs from that of the other ranks.
    const auto error =
        agreed_error([&](int r) { return r >= lowest; },
                     [&](int r) {
                       return r == lowest ? support::usage_error("the first") : support::bad_input("another");
                     });
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->kind(), ErrorKind::usage);
    EXPECT_EQ(error->diagnostic().what, "rank " + std::to_string(lowest) + ": the first");
  }
}

TEST_F(ErrorAgreement, NamesNoRankIfAllHaveSameError) {
  const auto error = agreed_error([](int) { return true; },
                                  [](int) { return support::usage_error("unknown argument", "remove it"); });
  ASSERT_TRUE(error.has_value());
  EXPECT_STREQ(error->what(), "unknown argument; remove it");
}

TEST_F(ErrorAgreement, NamesRankIfAllExceptOneHaveSameError) {
  if (size < 2) GTEST_SKIP() << "requires two ranks";
  const auto of_another_kind = agreed_error(
      [](int) { return true; },
      [&](int r) { return r == size - 1 ? support::bad_input("wrong") : support::usage_error("wrong"); });
  ASSERT_TRUE(of_another_kind.has_value());
  EXPECT_EQ(of_another_kind->diagnostic().what, "rank 0: wrong");
  const auto none =
      agreed_error([&](int r) { return r < size - 1; }, [](int) { return support::usage_error("wrong"); });
  ASSERT_TRUE(none.has_value());
  EXPECT_EQ(none->diagnostic().what, "rank 0: wrong");
}

TEST_F(ErrorAgreement, TransfersWholeDiagnostic) {
  const Diagnostic full{.severity = Severity::warning,
                        .check = "schema",
                        .what = "wrong",
                        .file = "data.3.json",
                        .byte = 0xfedcba9876543210u,
                        .line = 12,
                        .pointer = "/phases/2",
                        .suggestion = "check it"};
  for (int failing = 0; failing < size; ++failing) {
    const auto error = agreed_error([&](int r) { return r == failing; },
                                    [&](int) { return Error(ErrorKind::bad_input, full); });
    ASSERT_TRUE(error.has_value());
    const Diagnostic& arrived = error->diagnostic();
    EXPECT_EQ(arrived.severity, full.severity);
    EXPECT_EQ(arrived.check, full.check);
    EXPECT_EQ(arrived.file, full.file);
    EXPECT_EQ(arrived.byte, full.byte);
    EXPECT_EQ(arrived.line, full.line);
    EXPECT_EQ(arrived.pointer, full.pointer);
    EXPECT_EQ(arrived.suggestion, full.suggestion);
    EXPECT_THAT(arrived.what, ::testing::EndsWith(full.what));
  }
}

TEST_F(ErrorAgreement, KeepsMissingFieldsOfDiagnosticAbsent) {
  const auto error = agreed_error([&](int r) { return r == size - 1; }, error_of_rank);
  ASSERT_TRUE(error.has_value());
  EXPECT_FALSE(error->diagnostic().byte.has_value());
  EXPECT_FALSE(error->diagnostic().line.has_value());
  EXPECT_FALSE(error->diagnostic().pointer.has_value());
  EXPECT_EQ(error->diagnostic().severity, Severity::error);
  EXPECT_EQ(error->diagnostic().file, "");

  // The pointer to the whole document is empty but not missing.
  const auto root = agreed_error([&](int r) { return r == size - 1; },
                                 [](int) { return Error(ErrorKind::bad_input, {.pointer = ""}); });
  ASSERT_TRUE(root.has_value());
  EXPECT_EQ(root->diagnostic().pointer, "");
}

TEST_F(ErrorAgreement, TransfersLongTexts) {
  const std::string what(300'000, 'x');
  const auto error =
      agreed_error([&](int r) { return r == size - 1; }, [&](int) { return support::bad_input(what); });
  ASSERT_TRUE(error.has_value());
  EXPECT_THAT(error->diagnostic().what, ::testing::EndsWith(what));
}

TEST_F(ErrorAgreement, ThrowsOnAllRanksIfWorkThrowsOnOneRank) {
  const int failing = size - 1;
  const auto message_of = [&](auto&& exception) {
    const auto error = testing::error_of([&] {
      agreed(communicator, [&] {
        if (rank == failing) throw exception;
      });
    });
    return error ? std::string(error->what()) : "none";
  };
  EXPECT_THAT(message_of(support::usage_error("an Error")), ::testing::EndsWith("an Error"));
  EXPECT_THAT(message_of(std::runtime_error("of the library")), ::testing::EndsWith("of the library"));
  EXPECT_THAT(message_of(std::bad_alloc()), ::testing::EndsWith("out of memory"));
  EXPECT_THAT(message_of(42), ::testing::EndsWith("an exception of unknown type"));
}

TEST_F(ErrorAgreement, ConvertsOtherExceptionsToSystemErrors) {
  EXPECT_ERROR(agreed(communicator, [] { throw std::runtime_error("of the library"); }), system,
               "of the library");
  EXPECT_ERROR(agreed(communicator, [] { throw 42; }), system, "unknown type");
}

TEST_F(ErrorAgreement, SkipsReductionIfFailedRankIsKnown) {
  const int failing = size / 2;
  std::optional<Error> mine;
  if (rank == failing) mine = error_of_rank(rank);
  EXPECT_ERROR(throw_error_of(communicator, failing, mine), bad_input, "number " + std::to_string(failing));
}

TEST_F(ErrorAgreement, KeepsCommunicatorUsableAfterManyErrors) {
  for (int k = 0; k < 100; ++k) {
    const auto error = agreed_error([&](int r) { return r == k % size; }, error_of_rank);
    ASSERT_TRUE(error.has_value());
    EXPECT_THAT(error->diagnostic().what, ::testing::EndsWith("number " + std::to_string(k % size)));
  }
}

}  // namespace
}  // namespace plimsoll::mpi
