#include <fmt/format.h>
#include <pugixml.hpp>
#include <zlib.h>

#include <plimsoll/pelayout/internal/used_libraries.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

#ifndef PLIMSOLL_CBC_LIBRARY
support::UsedLibrary cbc_library() {
  return {.name = "CBC", .is_built_in = false};
}
#endif

std::vector<support::UsedLibrary> linked_libraries() {
  constexpr int pugixml = PUGIXML_VERSION;  // 1130 is 1.13
  return {{.name = "zlib", .version = ::zlibVersion()},
          {.name = "pugixml", .version = fmt::format("{}.{}", pugixml / 1000, pugixml % 1000 / 10)}};
}

}  // namespace plimsoll::pelayout
