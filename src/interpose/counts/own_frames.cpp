#include "interpose/counts/own_frames.hpp"

#include <link.h>

#include <algorithm>
#include <cstdint>

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

/// Address range of this library.
struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

Range own_range() {
  Range range = {reinterpret_cast<std::uintptr_t>(&own_range), 0};
  dl_iterate_phdr(
      [](dl_phdr_info* module, std::size_t, void* result) {
        auto& own = *static_cast<Range*>(result);
        Range all = {UINTPTR_MAX, 0};
        for (int k = 0; k < module->dlpi_phnum; ++k) {
          const auto& segment = module->dlpi_phdr[k];
          if (segment.p_type != PT_LOAD) continue;
          const std::uintptr_t begin = module->dlpi_addr + segment.p_vaddr;
          all.begin = std::min(all.begin, begin);
          all.end = std::max(all.end, begin + segment.p_memsz);
        }
        if (own.begin < all.begin || own.begin >= all.end) return 0;
        own = all;
        return 1;
      },
      &range);
  return range;
}

}  // namespace

std::span<void* const> without_own(std::span<void* const> frames) {
  static const Range own = own_range();
  std::size_t k = 0;
  while (k < frames.size()) {
    const auto address = reinterpret_cast<std::uintptr_t>(frames[k]);
    if (address < own.begin || address >= own.end) break;
    ++k;
  }
  return frames.subspan(k);
}

}  // namespace plimsoll::interpose
