#pragma once

#include <cstddef>
#include <functional>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Returns `threads`, or the machine's number of processors if `threads` is 0.
unsigned resolve_threads(unsigned threads);

/// Calls `body(0)` to `body(count - 1)`, each once, on up to `threads` threads (0: one per processor),
/// including the calling thread. Indices are handed out one by one in ascending order, so each call should
/// take a few microseconds or more.
///
/// If a body throws, no further indices are handed out. When all threads have stopped, the exception of the
/// lowest index that threw is rethrown. It is the same exception for every number of threads.
void parallel_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& body);

}  // namespace plimsoll::support
