#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include <plimsoll/balance/distributed_strategy.hpp>
#include <plimsoll/balance/migration_price.hpp>
#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/runtime/migration.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>
#include <plimsoll/runtime/object.hpp>

#include "runtime/balancing/rank_stats.hpp"
#include "runtime/recording/recording.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Predicted effect of a plan on this rank's load.
struct LoadOutlook {
  double load_before_s = 0;           ///< load as strategies see it, with the present placement
  double load_s = 0;                  ///< the same with the new placement
  double measured_load_before_s = 0;  ///< measured load with the present placement
  double measured_load_s = 0;         ///< the same with the new placement
  double device_load_before_s = 0;    ///< load of the device with the present placement
  double device_load_s = 0;           ///< the same with the new placement
  balance::MigrationVolume volume;    ///< of the migrations, on the busiest rank
};

/// A plan, and its consequences.
struct PlannedMigration {
  MigrationPlan plan;
  LoadOutlook outlook;
};

/// Rules that apply to the decision of any strategy.
struct MigrationRules {
  bool keep_last_element = false;  ///< the last element of a collection on a rank does not leave it
  /// Maximum number of migrations: a part of the strategy's plan that reduces the maximum load most.
  std::int64_t max_moves = std::numeric_limits<std::int64_t>::max();
  /// Where to keep the decision of a strategy in rounds, of which another call takes another part. May be
  /// null.
  std::optional<balance::LocalRank>* decided = nullptr;
  /// Returns the bytes that the migration of an object sends. Empty: from its memory, if it is known.
  std::function<double(ObjectId)> size_bytes = {};
};

/// Runs a strategy on the stats of all ranks, and tells each rank what leaves it and what comes to it.
/// Gathers nothing if the strategy runs in rounds (balance::distributed_part()). Collective. Throws like
/// decide_centrally(), or decide_in_rounds().
PlannedMigration plan_migration(const mpi::Communicator& communicator, const RankStats& mine,
                                balance::Strategy& strategy, const MigrationRules& rules = {});

/// Completes a plan, which has no exports and imports yet, with the objects that are to leave each rank. The
/// object goes to this rank if it is to be packed and unpacked here. Collective.
PlannedMigration announce(const mpi::Communicator& communicator, const RankStats& mine,
                          std::vector<LeavingObject> leaving, const MigrationRules& rules = {},
                          MigrationPlan plan = {});
/// Returns the result of `decide`, with the time of the slowest rank in decision_s. Collective.
PlannedMigration timed_decision(const mpi::Communicator& communicator,
                                const std::function<PlannedMigration()>& decide);

/// Packs an object's user-defined values, position, features and load history.
void pack_knowledge(const Recording& recording, NodeLBData& data, ObjectHandle object, mpi::Packer& packer);

/// Restores these for an object that has none yet. If it throws, the object may have a part of them. Throws
/// Error (bad_input) if pack_knowledge() did not make the bytes.
void unpack_knowledge(Recording& recording, NodeLBData& data, ObjectHandle object, mpi::Unpacker& unpacker);

/// Packs what the recorder of this rank knows about an object, except measurements of the current phase.
void pack_object(const Recording& recording, NodeLBData& data, ObjectHandle object, mpi::Packer& packer);

/// Registers the next packed object on this rank. If it throws, the object is not registered. Throws Error
/// (usage) if it is registered already, and Error (bad_input) if pack_object() did not make the bytes.
ObjectHandle unpack_object(Recording& recording, NodeLBData& data, int rank_count, mpi::Unpacker& unpacker);

/// Carries out a plan: moves objects, and what the recorder knows about them, which is their registration,
/// user-defined values, position and load history.
class Relocation {
 public:
  /// Stores references to the arguments, which must outlive this object.
  Relocation(const mpi::Communicator& communicator, Recording& recording, NodeLBData& data)
      : communicator_(communicator), recording_(recording), data_(data) {}

  /// Moves the registration of objects that the program itself has moved. Collective. Throws Error (usage) on
  /// all ranks, and changes nothing, if an object that leaves is not registered here, not migratable, or
  /// being measured, or if one that arrives is already registered.
  void moved(const MigrationPlan& plan);
  /// Moves the objects and their registration. An arriving object is registered before unpack() is called; a
  /// departing one is removed after remove(). Collective. Throws like moved() and runtime::migrate(). After
  /// an error, each object is registered where it is.
  MigrationReport migrate(const MigrationPlan& plan, const ObjectTransport& transport);

 private:
  void register_arrivals(const MigrationPlan& plan);
  void expect_movable(const Move& move) const;
  void remove(ObjectId object);

  const mpi::Communicator& communicator_;
  Recording& recording_;
  NodeLBData& data_;
};

}  // namespace plimsoll::runtime
