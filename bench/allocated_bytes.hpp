#pragma once

#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

// Counts the bytes that this program allocates with operator new. Include it in one source only. The counters
// are not thread-safe.

/// Bytes that are allocated now, and the maximum since reset().
struct AllocatedBytes {
  static inline std::size_t now = 0;
  static inline std::size_t maximum = 0;
  static void reset() { maximum = now; }

  static void* allocate(std::size_t size) {
    void* const memory = std::malloc(size);
    if (memory == nullptr) throw std::bad_alloc();
    now += malloc_usable_size(memory);
    maximum = std::max(maximum, now);
    return memory;
  }
  static void release(void* memory) {
    now -= malloc_usable_size(memory);
    std::free(memory);
  }
};

void* operator new(std::size_t size) {
  return AllocatedBytes::allocate(size);
}
void operator delete(void* memory) noexcept {
  AllocatedBytes::release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  AllocatedBytes::release(memory);
}
