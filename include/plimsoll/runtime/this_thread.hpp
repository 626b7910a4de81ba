#pragma once

#include <pthread.h>

#include <cstdint>

#include <plimsoll/support/version.hpp>

#if (defined(__x86_64__) || defined(__aarch64__)) && __has_builtin(__builtin_thread_pointer)
#define PLIMSOLL_HAS_THREAD_POINTER
#endif

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Returns a number that differs between all threads that exist at the same time. Takes one instruction if
/// the compiler can read the thread pointer.
inline std::uintptr_t this_thread() {
#ifdef PLIMSOLL_HAS_THREAD_POINTER
  return reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer());
#else
  return static_cast<std::uintptr_t>(pthread_self());
#endif
}

}  // namespace plimsoll::runtime
