#pragma once

#include <plimsoll.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include <plimsoll/runtime/migration.hpp>
#include <plimsoll/runtime/object.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

// Functions for structures of programs that were built with an older or a newer header, as indicated by
// `struct_size`. They work like Linux's copy_struct_from_user().

/// Maximum size of a structure. It limits memory accesses if the size was never initialised.
constexpr std::size_t max_structure_bytes = 1024;

/// Name of a structure in plimsoll.h and its initialiser.
struct StructureName {
  const char* name;
  const char* initialiser;
};

/// Returns the size of the caller's structure. Throws Error (usage) if it is invalid.
std::size_t checked_size(std::uint32_t struct_size, const StructureName& name);

/// Throws Error (usage) because the caller's structure is NULL.
[[noreturn]] void missing_structure(const StructureName& name);

/// Throws Error (usage) because the caller sets a member that this version does not have.
[[noreturn]] void unknown_member(const StructureName& name);

/// Throws Error (usage) for an invalid array of `count` `elements`. Otherwise returns the count.
std::size_t checked_count(const char* elements, std::int64_t count, const void* values);

/// Throws Error (usage) if the text is NULL: "the strategy is NULL". Otherwise returns it.
std::string checked_text(const char* what, const char* text);

/// Copies the members of the caller's structure over the defaults in `known`.
template <class Structure>
void read_structure(const Structure* caller, Structure& known, const StructureName& name) {
  static_assert(std::is_trivially_copyable_v<Structure>);
  if (caller == nullptr) missing_structure(name);
  const std::size_t size = checked_size(caller->struct_size, name);
  const auto* bytes = reinterpret_cast<const char*>(caller);
  std::memcpy(&known, bytes, std::min(size, sizeof known));
  for (std::size_t k = sizeof known; k < size; ++k)
    if (bytes[k] != 0) unknown_member(name);
}

/// Fills the members of the caller's structure that both versions have; the rest is set to 0.
template <class Structure>
void write_structure(Structure known, Structure* caller, const StructureName& name) {
  static_assert(std::is_trivially_copyable_v<Structure>);
  if (caller == nullptr) missing_structure(name);
  const std::size_t size = checked_size(caller->struct_size, name);
  known.struct_size = caller->struct_size;
  std::memset(caller, 0, size);
  std::memcpy(caller, &known, std::min(size, sizeof known));
}

/// A structure for a function of the program that was built with a newer header, and may therefore read
/// members unknown to this version: they are 0.
template <class Structure>
class RoomyStructure {
 public:
  explicit RoomyStructure(const Structure& known) { std::memcpy(bytes_, &known, sizeof known); }
  const Structure* get() const { return reinterpret_cast<const Structure*>(bytes_); }

 private:
  alignas(Structure) std::byte bytes_[max_structure_bytes] = {};
};

// Conversions between the handles and IDs of C++ and those of C.

inline plimsoll_object object_of(ObjectHandle handle) {
  return {std::uint64_t{handle.generation} << 32 | handle.slot};
}

inline ObjectHandle handle(plimsoll_object object) {
  return {static_cast<std::uint32_t>(object.number), static_cast<std::uint32_t>(object.number >> 32)};
}

inline ObjectId cpp_id(plimsoll_id id) {
  return ObjectId{id.number};
}
inline plimsoll_id id_of(ObjectId id) {
  return {static_cast<std::uint64_t>(id)};
}

/// A plan in the form of the C interface.
struct PlanMemory {
  explicit PlanMemory(MigrationPlan its_plan);
  /// Returns a view whose members refer to this object.
  plimsoll_migration_plan view() const;

  MigrationPlan plan;
  std::vector<plimsoll_move> exports;
  std::vector<plimsoll_move> imports;
};

/// Frees the memory of an earlier plan, and sets the members to 0. Throws Error (usage) for a structure that
/// was never initialised.
void clear_plan(plimsoll_migration_plan* caller);
/// Writes a plan to the structure of the program, whose memory plimsoll_free_plan() deletes. Throws like
/// clear_plan().
void give_plan(MigrationPlan plan, plimsoll_migration_plan* caller);
/// Returns the plan in a structure of the program. Throws like clear_plan().
MigrationPlan read_plan(const plimsoll_migration_plan* caller);
/// Returns the moves in an array of the program. Throws Error (usage) for an invalid array of `name`.
std::vector<Move> moves_of(const char* name, std::int64_t count, const plimsoll_move* moves);

/// Returns functions that call those of the program. Throws Error (usage) if one is missing.
ObjectTransport read_transport(const plimsoll_transport* caller);

}  // namespace plimsoll::runtime
