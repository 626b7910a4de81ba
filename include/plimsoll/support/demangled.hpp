#pragma once

#include <string>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Returns the name of a type (`std::type_info::name()`) or of a symbol as it is written in C++; the name
/// itself if it is not mangled. Names of C functions such as `f` are those of types: pass only symbols that
/// begin with `_Z`.
std::string demangled(const std::string& name);

}  // namespace plimsoll::support
