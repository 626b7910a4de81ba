#pragma once

#include <plimsoll.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <plimsoll/runtime/balancer.hpp>
#include <plimsoll/runtime/load_recorder.hpp>
#include <plimsoll/runtime/migration.hpp>
#include <plimsoll/runtime/object.hpp>
#include <plimsoll/runtime/settings.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/version.hpp>

#include "runtime/bindings/last_error.hpp"

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

/// Recorder of a C or Fortran program, with its balancer, if any.
struct plimsoll_recorder {
  template <class... Arguments>
  explicit plimsoll_recorder(plimsoll::runtime::Language its_language, Arguments&&... arguments)
      : language(its_language), recorder(std::forward<Arguments>(arguments)...) {}
  plimsoll::runtime::Language language;
  plimsoll::LoadRecorder recorder;
  std::optional<plimsoll::Balancer> balancer;
  std::string data_files =
      recorder.settings().lb_data ? plimsoll::runtime::data_file_pattern(recorder.settings()) : "";
};

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Error of the last function that returned a status.
LastError& last_error();

/// Returns whether this process prints unchecked errors that concern no recorder: rank 0 of the communicator,
/// or of the launcher if MPI is not running, because all ranks then have the same error.
bool is_rank_0(MPI_Comm communicator);

/// Throws Error (usage). Functions for Fortran communicators call this before MPI_Init, because MPI_Comm_f2c
/// would abort.
[[noreturn]] void mpi_is_not_initialised();

/// Runs the body of a C function that returns a status.
template <class PrintsErrors, class Work>
int status_of(Language language, const PrintsErrors& prints_errors, const Work& work) {
  last_error().print_unchecked();
  try {
    work();
    return 0;
  } catch (...) {
    const Error error = support::current_error();
    last_error().set(in_language(error.what(), language), prints_errors());
    return static_cast<int>(error.kind());
  }
}

template <class Work>
int status_without_recorder(const Work& work) {
  return status_of(
      Language::c, [] { return is_rank_0(MPI_COMM_WORLD); }, work);
}

/// Passes the recorder to the body. Without a recorder, the status is 2.
template <class Work>
int status_with(plimsoll_recorder* recorder, const Work& work) {
  if (recorder == nullptr) {
    return status_without_recorder([] {
      throw support::usage_error("the recorder is not started, or already finished", "start it first");
    });
  }
  return status_of(
      recorder->language, [&] { return recorder->recorder.rank() == 0; }, [&] { work(*recorder); });
}

/// Runs the body of a C function that returns no status. Records exceptions, and does nothing without a
/// recorder.
template <class Work>
auto with(plimsoll_recorder* recorder, const Work& work) {
  using Result = decltype(work(recorder->recorder));
  if (recorder == nullptr) return Result();
  try {
    return work(recorder->recorder);
  } catch (...) {
    recorder->recorder.note(support::current_error());
    return Result();
  }
}

}  // namespace plimsoll::runtime
