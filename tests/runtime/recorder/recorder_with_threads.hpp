// Recorder that several threads use.
#pragma once

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/recorder/recorder_test.hpp"

namespace plimsoll::testing {

class RecorderWithThreads : public RecorderRun {
 protected:
  static constexpr int threads = 4;

  /// Runs work(0) ... work(threads - 1) in threads of their own, and waits for them.
  template <class Work>
  static void in_threads(const Work& work) {
    std::vector<std::thread> running;
    for (int k = 0; k < threads; ++k) running.emplace_back([&work, k] { work(k); });
    for (std::thread& thread : running) thread.join();
  }

  /// Runs `wrong` on another thread of the last rank, and expects the same exception on all ranks.
  void expect_error_of_thread(const std::string& expected, const std::function<void(LoadRecorder&)>& wrong) {
    SCOPED_TRACE(expected);
    LoadRecorder recorder(MPI_COMM_WORLD, settings("errors" + std::to_string(++runs_)));
    if (rank == count - 1) std::thread([&] { wrong(recorder); }).join();
    const auto error = error_of_next_phase(recorder);
    EXPECT_NE(std::string(error ? error->what() : "").find(expected), std::string::npos)
        << (error ? error->what() : "no error was thrown");
    recorder.next_phase();
    recorder.close();
    EXPECT_EQ(read("errors" + std::to_string(runs_)).ranks[static_cast<std::size_t>(rank)].phases.size(), 2U);
  }

 private:
  int runs_ = 0;
};

}  // namespace plimsoll::testing
