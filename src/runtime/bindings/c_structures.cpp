#include "runtime/bindings/c_structures.hpp"

#include <fmt/format.h>

#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

std::size_t checked_size(std::uint32_t struct_size, const StructureName& name) {
  const bool cuts_a_member = struct_size % sizeof struct_size != 0;  // because members have 4 or 8 bytes
  if (struct_size >= sizeof struct_size && struct_size <= max_structure_bytes && !cuts_a_member)
    return struct_size;
  throw support::usage_error(fmt::format("invalid struct_size {} of {}", struct_size, name.name),
                             fmt::format("use {} to initialise it", name.initialiser));
}

void missing_structure(const StructureName& name) {
  throw support::usage_error(fmt::format("the {} is NULL", name.name), "specify a structure");
}

void unknown_member(const StructureName& name) {
  throw support::usage_error(
      fmt::format("{} has a member that this version of Plimsoll does not support", name.name),
      "use the version that the program was built with, or a later one");
}

std::size_t checked_count(const char* elements, std::int64_t count, const void* values) {
  if (count < 0 || (count > 0 && values == nullptr)) {
    throw support::usage_error(fmt::format("invalid array of {} {}", count, elements),
                               "specify the array and its size");
  }
  return static_cast<std::size_t>(count);
}

std::string checked_text(const char* what, const char* text) {
  if (text == nullptr) throw support::usage_error(fmt::format("the {} is NULL", what), "specify a string");
  return text;
}

}  // namespace plimsoll::runtime
