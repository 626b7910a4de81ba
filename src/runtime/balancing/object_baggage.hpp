#pragma once

#include <plimsoll/mpi/messages.hpp>
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

}  // namespace plimsoll::runtime
