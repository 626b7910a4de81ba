// Libraries of a user's program in other versions than those that Plimsoll contains or loads: METIS with
// 64-bit indices, and older fmt, yaml-cpp and brotli. Plimsoll must not call them.
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

[[noreturn]] void fail(const char* name) {
  std::fprintf(stderr, "Plimsoll called the program's %s\n", name);
  std::_Exit(1);
}

}  // namespace

FMT_BEGIN_NAMESPACE
std::string vformat(string_view, format_args) {
  fail("fmt::vformat");
}
namespace detail {
template <>
void vformat_to(buffer<char>&, basic_string_view<char>, basic_format_args<buffer_context<char>>, locale_ref) {
  fail("fmt::detail::vformat_to");
}
}  // namespace detail
FMT_END_NAMESPACE

namespace YAML {
Node Load(const std::string&) {
  fail("YAML::Load");
}
Node Load(std::istream&) {
  fail("YAML::Load");
}
}  // namespace YAML

extern "C" {
#define OWN_FUNCTION(name) \
  int name() {             \
    fail(#name);           \
  }
OWN_FUNCTION(METIS_SetDefaultOptions)
OWN_FUNCTION(METIS_PartGraphKway)
OWN_FUNCTION(METIS_PartGraphRecursive)
OWN_FUNCTION(SCOTCH_graphInit)
OWN_FUNCTION(SCOTCH_graphMap)
OWN_FUNCTION(BrotliEncoderCreateInstance)
OWN_FUNCTION(BrotliEncoderCompressStream)
OWN_FUNCTION(BrotliDecoderCreateInstance)
OWN_FUNCTION(BrotliDecoderDecompressStream)
}
