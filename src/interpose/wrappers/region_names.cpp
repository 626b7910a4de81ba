// Names that libraries of Plimsoll look up to mark regions of the program. They differ from those that the
// program calls: a program that contains Plimsoll's archive would otherwise never reach this library.
#include "interpose/parts/run_parts.hpp"
#include "interpose/wrappers/wrappers.hpp"

PLIMSOLL_EXPORT void plimsoll_profiler_begin_region(const char* name) {
  plimsoll::interpose::begin_region(name);
}

PLIMSOLL_EXPORT void plimsoll_profiler_end_region(const char* name) {
  plimsoll::interpose::end_region(name);
}
