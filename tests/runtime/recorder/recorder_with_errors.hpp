// Errors of one rank that all ranks must throw at the end of the phase, after which the program continues.
#pragma once

#include <functional>
#include <string>

#include "runtime/recorder/recorder_test.hpp"

namespace plimsoll::testing {

class RecorderWithErrors : public RecorderRun {
 protected:
  /// Causes an error on the last rank and expects the same exception on all ranks.
  void expect_agreed_error(const std::string& expected, const std::function<void(LoadRecorder&)>& wrong) {
    SCOPED_TRACE(expected);
    const int guilty = count - 1;
    LoadRecorder recorder(MPI_COMM_WORLD, settings("errors" + std::to_string(++runs_)));
    recorder.register_object({.number = 1000});
    recorder.next_phase();
    if (rank == guilty) wrong(recorder);
    const auto error = error_of_next_phase(recorder);
    EXPECT_TRUE(error) << "no error was thrown";
    const std::string text = error ? error->what() : "";
    EXPECT_EQ(text, text_of_rank_0(text));
    EXPECT_EQ(text.find("rank " + std::to_string(guilty) + ": ") == 0, count > 1) << text;
    EXPECT_NE(text.find(expected), std::string::npos) << text;
    EXPECT_EQ(error ? error->kind() : ErrorKind::system, ErrorKind::usage);

    EXPECT_EQ(recorder.phase(), 2);
    const PhaseSummary summary = recorder.next_phase();
    EXPECT_EQ(summary.phase, 2);
    recorder.close();
    EXPECT_EQ(read("errors" + std::to_string(runs_)).ranks[static_cast<std::size_t>(rank)].phases.size(), 3U);
  }

 private:
  int runs_ = 0;
};

}  // namespace plimsoll::testing
