#include "interpose/lifecycle/recording.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <stdexcept>
#include <string>

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {
std::string stopped_because;
}  // namespace

// In place of that of lifecycle.cpp, which needs MPI.
void stop_recording(Sink /*sink*/, std::string_view reason) noexcept {
  stopped_because = reason;
}

namespace {

/// Runs a thread whose sink calls a function; returns its result.
void* result_of_thread(void (*in_sink)()) {
  pthread_t thread{};
  void* result = nullptr;
  const auto run = [](void* function) -> void* {
    guarded(Sink::sums, [=] { reinterpret_cast<void (*)()>(function)(); });
    return nullptr;
  };
  EXPECT_EQ(pthread_create(&thread, nullptr, run, reinterpret_cast<void*>(in_sink)), 0);
  EXPECT_EQ(pthread_join(thread, &result), 0);
  return result;
}

TEST(GuardedSink, LetsItsThreadEnd) {
  stopped_because.clear();
  int end = 0;
  static void* const address = &end;
  EXPECT_EQ(result_of_thread([] { pthread_exit(address); }), address);
  EXPECT_EQ(result_of_thread([] {
              pthread_cancel(pthread_self());
              pthread_testcancel();
            }),
            PTHREAD_CANCELED);
  EXPECT_EQ(stopped_because, "");
}

TEST(GuardedSink, StopsAfterAnException) {
  EXPECT_EQ(result_of_thread([] { throw std::runtime_error("no memory"); }), nullptr);
  EXPECT_EQ(stopped_because, "no memory");
  EXPECT_EQ(result_of_thread([] { throw 1; }), nullptr);
  EXPECT_EQ(stopped_because, "an unknown error");
}

}  // namespace

}  // namespace plimsoll::interpose
