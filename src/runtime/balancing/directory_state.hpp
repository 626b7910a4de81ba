#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/sparse_exchange.hpp>
#include <plimsoll/runtime/directory.hpp>
#include <plimsoll/runtime/object.hpp>

#include "runtime/balancing/directory_part.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

// Messages between the ranks of a Directory. The member `rank` is the receiver of an outgoing message, and
// the sender of a received one.

/// Difference of the objects on a rank, for their directory rank.
struct Declaration {
  int rank = 0;
  std::vector<ObjectId> removed;
  std::vector<ObjectId> added;
};

/// Asks a directory rank where objects are.
struct Question {
  int rank = 0;
  std::vector<ObjectId> ids;
  bool will_remember = false;  ///< whether the sender will remember the answer
  bool has_forgotten = false;  ///< whether the sender has forgotten all earlier answers
};

/// Answers a question: the rank of each object, or -1.
struct Answer {
  int rank = 0;
  std::vector<int> owners;
};

/// Corrects answers that the receiver may remember.
struct Correction {
  struct NewOwner {
    ObjectId id = ObjectId::none;
    std::int64_t rank = 0;
  };
  int rank = 0;
  std::vector<NewOwner> owners;
};

mpi::Parcel parcel_of(const Declaration& declaration);
mpi::Parcel parcel_of(const Question& question);
mpi::Parcel parcel_of(const Answer& answer);
mpi::Parcel parcel_of(const Correction& correction);

Declaration declaration_in(const mpi::Parcel& parcel);
Question question_in(const mpi::Parcel& parcel);
Answer answer_in(const mpi::Parcel& parcel);
Correction correction_in(const mpi::Parcel& parcel);

/// Object that two ranks declare.
struct Conflict {
  std::uint64_t object = 0;
  int first = no_rank;
  int second = no_rank;
};

/// A Directory on this rank. Updates and questions are in one source file each.
class Directory::State {
 public:
  State(const mpi::Communicator& communicator, std::size_t max_remembered)
      : communicator_(communicator), max_remembered_(max_remembered) {}

  void update(std::span<const ObjectId> here);
  std::vector<int> owner(std::span<const ObjectId> ids);
  int known_owner(ObjectId id) const { return known_.rank_of(id); }
  int declared_rank(ObjectId id) const { return part_.rank_of(id); }

  /// Uses the upper bits of the hash, because tables use the lower ones.
  int directory_rank_of(ObjectId id) const {
    return static_cast<int>(((hash_of(id) >> 32) * static_cast<std::uint64_t>(communicator_.size())) >> 32);
  }

 private:
  /// Objects that are not known here, by directory rank.
  struct Unknown {
    std::vector<ObjectId> ids;
    std::vector<std::size_t> positions;  // in the list of the caller
  };
  using UnknownByRank = std::map<int, Unknown>;
  using Undo = std::vector<std::pair<ObjectId, int>>;

  bool agreed_on_any(const std::function<bool()>& work) const;
  std::vector<mpi::Parcel> declare(std::span<const ObjectId> removed, std::span<const ObjectId> added) const;
  std::vector<Declaration> record_declarations(const std::vector<mpi::Parcel>& received);
  std::optional<Conflict> record(const std::vector<Declaration>& declarations, Undo& undo);
  std::vector<mpi::Parcel> corrections(const std::vector<Declaration>& declarations);
  void correct(const std::vector<mpi::Parcel>& received);
  UnknownByRank find_known(std::span<const ObjectId> ids, std::vector<int>& owners) const;
  void forget();
  std::vector<mpi::Parcel> questions_for(const UnknownByRank& unknown, bool remember,
                                         bool has_forgotten) const;
  std::vector<mpi::Parcel> answers_to(const std::vector<mpi::Parcel>& received);

  const mpi::Communicator& communicator_;
  std::size_t max_remembered_;
  std::vector<ObjectId> here_;  // sorted
  OwnerTable known_;            // objects here, and answers
  DirectoryPart part_;
};

}  // namespace plimsoll::runtime
