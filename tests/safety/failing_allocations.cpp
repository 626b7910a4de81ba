#include "safety/failing_allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace plimsoll::testing {

namespace {

std::atomic<std::uint64_t> count = 0;
std::atomic<std::uint64_t> first_failure = 0;
std::atomic<bool> later_fail = false;

bool fails() {
  const std::uint64_t number = ++count;
  const std::uint64_t first = first_failure;
  return first > 0 && (number == first || (later_fail && number > first));
}

}  // namespace

void fail_allocation(std::uint64_t number, bool and_later) {
  first_failure = 0;
  later_fail = and_later;
  count = 0;
  first_failure = number;
}

std::uint64_t allocations() {
  return count;
}

}  // namespace plimsoll::testing

// AddressSanitizer has a form of its own that does not throw.
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return plimsoll::testing::fails() ? nullptr : std::malloc(size > 0 ? size : 1);
}
// The array forms call this function.
void* operator new(std::size_t size) {
  void* const memory = operator new(size, std::nothrow);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto bytes = static_cast<std::size_t>(alignment);
  void* const memory =
      plimsoll::testing::fails() ? nullptr : std::aligned_alloc(bytes, (size + bytes - 1) / bytes * bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
