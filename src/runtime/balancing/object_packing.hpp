#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include <plimsoll/runtime/migration.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// An object and its packed size.
struct SizedObject {
  ObjectId id = ObjectId::none;
  std::size_t bytes = 0;
};

/// Bytes behind the packed objects that detect a pack() which writes past its object.
inline constexpr std::size_t guard_bytes = 64;

/// Returns the size of an object in a packet, where every object begins at an aligned position.
constexpr std::size_t aligned_bytes(std::size_t bytes) {
  constexpr std::size_t alignment = 16;
  return (bytes + alignment - 1) / alignment * alignment;
}

/// Calls size_bytes(). Throws Error (usage) if it returns more than the address space of a process. Like the
/// other functions in this file, throws an Error that names the object if the program's function throws.
SizedObject size_of(ObjectId id, const ObjectTransport& transport);
/// Packs objects one after the other into `packet`, which has guard_bytes more than they need. Throws Error
/// (usage) if pack() does not write exactly the object's bytes.
void pack_objects(std::span<const SizedObject> objects, std::span<std::byte> packet,
                  const ObjectTransport& transport);
/// Unpacks objects and passes each to `unpacked(id)` as soon as it exists. Throws Error (usage) if unpack()
/// does not read exactly the object's bytes.
void unpack_objects(std::span<const SizedObject> objects, std::span<const std::byte> packet,
                    const ObjectTransport& transport, const std::function<void(ObjectId)>& unpacked);
/// Calls remove(), if the program has one.
void remove_object(ObjectId id, const ObjectTransport& transport);

}  // namespace plimsoll::runtime
