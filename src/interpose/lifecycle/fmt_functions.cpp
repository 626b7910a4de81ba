// Functions of the fmt library, compiled from its headers. The modules' objects call them, and a profiled
// program may contain another version of libfmt.
#include <fmt/format.h>

namespace {

// References all fmt functions that the modules call.
[[gnu::used]] std::string (*const vformat)(fmt::string_view, fmt::format_args) = fmt::vformat;

}  // namespace
