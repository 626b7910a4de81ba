#include "runtime/recording/region_marks.hpp"

#include <dlfcn.h>

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

using Mark = void (*)(const char* name);

/// Returns a function of the profiler (src/interpose/wrappers/region_names.cpp); null without profiler.
Mark find(const char* function) {
  return reinterpret_cast<Mark>(dlsym(RTLD_DEFAULT, function));
}

}  // namespace

void begin_region(const char* name) {
  static const Mark mark = find("plimsoll_profiler_begin_region");
  if (mark != nullptr) mark(name);
}

void end_region(const char* name) {
  static const Mark mark = find("plimsoll_profiler_end_region");
  if (mark != nullptr) mark(name);
}

}  // namespace plimsoll::runtime
