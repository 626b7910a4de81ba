#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/runtime/object.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Distributed table of the rank of every object. IDs may be any 64-bit numbers. A hash of its ID assigns
/// each object to one rank, its directory rank, which knows where the object is and which ranks have asked.
/// It is unrelated to the object's home.
///
/// A rank remembers the answers that it received, up to a limit, and update() corrects them after moves.
/// Looking them up again therefore needs no communication except a reduction of two numbers. If the limit is
/// exceeded, the rank forgets all answers and asks again when needed.
///
/// Memory: 8 bytes per object on its rank, for differences; 16 bytes in a table row plus an index of 5.3 to
/// 21 bytes per object on its directory rank, on its rank and on each rank that remembers it; 8 bytes on the
/// directory rank for each rank that remembers it. Tables are vectors, whose capacity may be twice their
/// size.
class Directory {
 public:
  /// Default for the maximum number of remembered answers: about 150 MB.
  static constexpr std::size_t default_max_remembered = std::size_t{1} << 22;

  /// Creates an empty directory. `communicator` must outlive it; `max_remembered` limits the answers that
  /// this rank remembers, in addition to its own objects.
  explicit Directory(const mpi::Communicator& communicator,
                     std::size_t max_remembered = default_max_remembered);
  Directory(Directory&&) noexcept;
  Directory& operator=(Directory&&) noexcept;
  ~Directory();

  /// Declares that exactly the objects in `here`, in any order, are now on this rank. Collective. Only
  /// differences from the previous call are transferred. Time: O(n log n) for n objects, O(n) if they are
  /// sorted.
  ///
  /// Throws Error (usage) on all ranks, and changes nothing, if an object is declared on two ranks or twice
  /// on one rank. Throws Error (system) on all ranks if memory is exhausted; do not use the directory then.
  void update(std::span<const ObjectId> here);

  /// Returns the rank of each object, or -1 if no rank has declared it. Collective; ranks may ask for
  /// different objects, or none. Throws Error (system) on all ranks if memory is exhausted.
  std::vector<int> owner(std::span<const ObjectId> ids);

  /// Returns the rank of an object if it is here, or if this rank has asked for it and remembers the answer.
  /// Local.
  std::optional<int> known_owner(ObjectId id) const;

  // For callers that ask with messages of their own.

  /// Returns the directory rank of an object. Local.
  int directory_rank(ObjectId id) const;
  /// Returns the rank that has declared an object, on its directory rank; empty if none has. Local.
  std::optional<int> declared_rank(ObjectId id) const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace plimsoll::runtime

namespace plimsoll::PLIMSOLL_ABI {
using runtime::Directory;
}  // namespace plimsoll
