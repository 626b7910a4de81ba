#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/mpi/sparse_exchange.hpp>
#include <plimsoll/runtime/object.hpp>

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

}  // namespace plimsoll::runtime
