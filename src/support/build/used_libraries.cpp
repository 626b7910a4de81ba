#include <brotli/decode.h>
#include <fmt/format.h>
#include <simdjson.h>

#include <plimsoll/support/internal/used_library.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

namespace {

/// Returns a version such as "9.1.0" from its three numbers.
std::string dotted(unsigned major, unsigned minor, unsigned patch) {
  return fmt::format("{}.{}.{}", major, minor, patch);
}

std::string compiler() {
#if defined(__clang__)
  return "Clang " + dotted(__clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  return "GCC " + dotted(__GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  return "unknown";
#endif
}

}  // namespace

std::vector<UsedLibrary> used_libraries() {
  const std::uint32_t brotli = BrotliDecoderVersion();
  constexpr unsigned fmt_version = FMT_VERSION;
  return {
      {.name = "fmt", .version = dotted(fmt_version / 10000, fmt_version / 100 % 100, fmt_version % 100)},
      {.name = "simdjson",
       .version = dotted(simdjson::SIMDJSON_VERSION_MAJOR, simdjson::SIMDJSON_VERSION_MINOR,
                         simdjson::SIMDJSON_VERSION_REVISION)},
      {.name = "yaml-cpp", .version = PLIMSOLL_YAML_CPP_VERSION},
      {.name = "brotli", .version = dotted(brotli >> 24U, (brotli >> 12U) & 0xfffU, brotli & 0xfffU)},
  };
}

Build this_build() {
  Build build = {.compiler = compiler(), .type = PLIMSOLL_BUILD_TYPE, .mpis = {}};
  for (std::string_view rest = PLIMSOLL_BUILT_MPIS; !rest.empty();) {
    const std::string_view mpi = take_word(rest);  // such as "openmpi=4.1.4"
    const std::size_t name_end = std::min(mpi.find('='), mpi.size());
    build.mpis.push_back({.name = std::string(mpi.substr(0, name_end)),
                          .version = std::string(mpi.substr(std::min(name_end + 1, mpi.size())))});
  }
  return build;
}

}  // namespace plimsoll::support
