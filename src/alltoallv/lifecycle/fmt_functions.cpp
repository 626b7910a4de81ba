// The functions of fmt's library, compiled from its headers: the modules' objects call them, and a profiled
// program may have libfmt in another version.
#include <fmt/format.h>

namespace {

// All that the modules call is called from here.
[[gnu::used]] std::string (*const vformat)(fmt::string_view, fmt::format_args) = fmt::vformat;

}  // namespace
