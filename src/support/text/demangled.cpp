#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

std::string demangled(const std::string& name) {
  const std::unique_ptr<char, decltype(&std::free)> readable(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, nullptr), &std::free);
  return readable ? readable.get() : name;
}

}  // namespace plimsoll::support
