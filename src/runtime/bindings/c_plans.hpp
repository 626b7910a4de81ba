#pragma once

#include <plimsoll.h>

#include <cstdint>
#include <vector>

#include <plimsoll/runtime/migration.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

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
