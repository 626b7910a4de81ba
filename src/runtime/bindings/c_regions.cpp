// Regions in the C interface, plimsoll.h.
#include <plimsoll.h>

#include "runtime/recording/region_marks.hpp"

extern "C" {

void plimsoll_region_begin(const char* name) {
  plimsoll::runtime::begin_region(name);
}

void plimsoll_region_end(const char* name) {
  plimsoll::runtime::end_region(name);
}

}  // extern "C"
