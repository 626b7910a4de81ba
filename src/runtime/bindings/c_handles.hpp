#pragma once

#include <plimsoll.h>

#include <cstdint>

#include <plimsoll/runtime/object.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

// Conversions between the handles and IDs of C++ and those of C.

inline plimsoll_object object_of(ObjectHandle handle) {
  return {std::uint64_t{handle.generation} << 32 | handle.slot};
}

inline ObjectHandle handle(plimsoll_object object) {
  return {static_cast<std::uint32_t>(object.number), static_cast<std::uint32_t>(object.number >> 32)};
}

inline plimsoll_id id_of(ObjectId id) {
  return {static_cast<std::uint64_t>(id)};
}

}  // namespace plimsoll::runtime
