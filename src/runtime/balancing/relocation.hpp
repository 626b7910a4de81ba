#pragma once

#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/runtime/migration.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>
#include <plimsoll/runtime/object.hpp>

#include "runtime/recording/recording.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Packs an object's user-defined values, position and load history.
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
