#include "objects/system/freed_memory.hpp"

#include <cstdlib>
#include <string_view>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace plimsoll::PLIMSOLL_ABI::objects {

namespace {

bool is_set(const char* variable) {
  return std::getenv(variable) != nullptr;
}

/// Whether the user has set when glibc returns memory to the operating system.
bool has_settings() {
  const char* const tunables = std::getenv("GLIBC_TUNABLES");
  return is_set("MALLOC_TRIM_THRESHOLD_") || is_set("MALLOC_MMAP_THRESHOLD_") ||
         (tunables != nullptr && std::string_view(tunables).find("glibc.malloc.") != std::string_view::npos);
}

}  // namespace

void keep_freed_memory() {
  if (has_settings()) return;
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the maximum of 64-bit systems
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

}  // namespace plimsoll::objects
