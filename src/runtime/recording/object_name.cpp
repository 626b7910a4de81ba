#include "runtime/recording/object_name.hpp"

#include <fmt/format.h>

namespace plimsoll::PLIMSOLL_ABI::runtime {

std::string name_of(ObjectId id) {
  const auto bits = static_cast<std::uint64_t>(id);
  const auto number = object_number(id);
  if (!number) return fmt::format("object {}", bits);
  return fmt::format("object {} of home rank {} (ID {})", *number, lbdata::decode_identifier(bits)->home,
                     bits);
}

}  // namespace plimsoll::runtime
