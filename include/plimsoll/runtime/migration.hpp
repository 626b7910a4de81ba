#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/runtime/object.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {
class Communicator;
}

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Migration of one object.
struct Move {
  ObjectId object = ObjectId::none;
  int from = 0;      ///< rank that has the object
  int to = 0;        ///< rank that receives it; may be the same rank
  double bytes = 0;  ///< size of the packed object; 0 if unknown

  friend bool operator==(const Move&, const Move&) = default;
};

/// Migrations that a strategy decided on. Each rank has its own exports and imports; the other members are
/// the same on all ranks.
struct MigrationPlan {
  std::vector<Move> exports;  ///< objects that leave this rank
  /// Objects that come to this rank, sorted by the rank that they leave; those from one rank have the order
  /// of its exports.
  std::vector<Move> imports;
  std::int64_t moves = 0;  ///< number of objects that migrate, over all ranks
  std::string strategy;    ///< strategy that decided; empty if none ran
  /// Maximum time of a rank in the next phase, predicted without and with the migrations. Both are 0 if no
  /// strategy ran, and for OfflineLB and TestSerializationLB, which predict nothing.
  double max_time_before_s = 0;
  double max_time_after_s = 0;
  double mean_time_s = 0;  ///< predicted mean time of the ranks
  double decision_s = 0;   ///< wall-clock time to gather the loads, decide, and distribute the decision
  std::string remark;      ///< why a strategy missed its target, or why nothing migrates; may be empty

  /// Returns the predicted gain per phase, in seconds.
  double gain_s() const { return max_time_before_s - max_time_after_s; }
  /// Returns whether no object migrates on any rank.
  bool empty() const { return moves == 0; }
};

/// Functions of a program that move its objects. They must not call MPI collectively. The spans are aligned
/// to 16 bytes. For objects with a cereal `serialize()`, see serialised_transport.hpp.
struct ObjectTransport {
  /// Returns the packed size of an object on this rank, in bytes. Called once per object and migrate().
  std::function<std::size_t(ObjectId)> size_bytes;
  /// Writes an object into the span, whose size is that of size_bytes(), and returns the number of bytes that
  /// it wrote, which must be the same. The object must remain usable.
  std::function<std::size_t(ObjectId, std::span<std::byte>)> pack;
  /// Creates an object on this rank and returns the number of bytes that it read, which must be all bytes of
  /// the span.
  std::function<std::size_t(ObjectId, std::span<const std::byte>)> unpack;
  /// Removes an object that has left this rank, or that must leave it again after an error elsewhere. May be
  /// empty; then the program itself removes objects, and objects may exist twice after an error.
  std::function<void(ObjectId)> remove;
  /// Returns the packed size that a migration of the object would have, in bytes, to predict the time of the
  /// migration before it is decided. May be empty: then size_bytes() is called.
  std::function<double(ObjectId)> predicted_bytes = {};
};

/// Options of migrate().
struct MigrationOptions {
  /// Maximum bytes that a rank sends, and that it receives, in one round. A larger object has a round of its
  /// own for its pair of ranks. The buffers of migrate() need no more memory than that, or than one object
  /// per sender if objects are larger. Until the end of a round, its objects exist on both ranks.
  std::size_t max_buffer_bytes = std::size_t{256} << 20;
};

/// Result of migrate(); the same on all ranks.
struct MigrationReport {
  std::int64_t objects = 0;  ///< objects of all ranks, including those that were packed in place
  double bytes = 0;          ///< their packed size
  double time_s = 0;         ///< maximum over all ranks
  int rounds = 0;            ///< rounds that transferred objects between ranks
};

/// Moves objects between ranks. Collective. `exports` lists the objects that leave this rank and `imports`
/// those that arrive, as the exports of the other ranks say; the order does not matter. An object whose
/// `from` and `to` are this rank is in both lists; it is packed, removed and unpacked in place.
///
/// The objects for one rank travel together in messages of about 1 MiB, or longer ones for larger objects, of
/// any size. While some messages are under way, others are packed and unpacked. The objects are moved in
/// rounds (MigrationOptions). The senders of a round remove its objects when all receivers have unpacked
/// them.
///
/// Throws the same Error on all ranks, naming the object and the rank, if
/// - the lists are invalid or do not match, before any object moves (usage);
/// - pack() writes more or less than the size of the object, or unpack() reads more or less (usage);
/// - a function of the program throws (its kind of Error, otherwise system) or memory is exhausted (system).
/// In the last two cases, objects of earlier rounds have moved. All other objects are still on their senders:
/// receivers call remove() for the objects of the failed round that they had unpacked. Exceptions: an object
/// packed in place whose unpack() fails is lost, and an object whose remove() fails after its move is on both
/// ranks. The communicator stays usable.
MigrationReport migrate(const mpi::Communicator& communicator, std::span<const Move> exports,
                        std::span<const Move> imports, const ObjectTransport& transport,
                        const MigrationOptions& options = {});

}  // namespace plimsoll::runtime

namespace plimsoll::PLIMSOLL_ABI {
using runtime::migrate;
using runtime::MigrationOptions;
using runtime::MigrationPlan;
using runtime::MigrationReport;
using runtime::Move;
using runtime::ObjectTransport;
}  // namespace plimsoll
