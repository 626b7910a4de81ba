#pragma once

#include <string>

namespace plimsoll::inline v0_1::support {

/// Returns the name of a type (`std::type_info::name()`) or of a symbol as it is written in C++; the name
/// itself if it is not mangled.
std::string demangled(const std::string& name);

}  // namespace plimsoll::support
