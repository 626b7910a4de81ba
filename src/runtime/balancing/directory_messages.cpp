#include "runtime/balancing/directory_messages.hpp"

#include <plimsoll/mpi/messages.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

mpi::Parcel parcel_of(const Declaration& declaration) {
  mpi::Packer message;
  message.array(declaration.removed);
  message.array(declaration.added);
  return {declaration.rank, message.take()};
}

Declaration declaration_in(const mpi::Parcel& parcel) {
  mpi::Unpacker message(parcel.bytes);
  Declaration declaration{.rank = parcel.rank};
  message.append_to(declaration.removed);
  message.append_to(declaration.added);
  return declaration;
}

mpi::Parcel parcel_of(const Question& question) {
  mpi::Packer message;
  message.value(question.will_remember);
  message.value(question.has_forgotten);
  message.array(question.ids);
  return {question.rank, message.take()};
}

Question question_in(const mpi::Parcel& parcel) {
  mpi::Unpacker message(parcel.bytes);
  Question question{.rank = parcel.rank};
  question.will_remember = message.value<bool>();
  question.has_forgotten = message.value<bool>();
  message.append_to(question.ids);
  return question;
}

mpi::Parcel parcel_of(const Answer& answer) {
  mpi::Packer message;
  message.array(answer.owners);
  return {answer.rank, message.take()};
}

Answer answer_in(const mpi::Parcel& parcel) {
  return {parcel.rank, mpi::Unpacker(parcel.bytes).array<int>()};
}

mpi::Parcel parcel_of(const Correction& correction) {
  mpi::Packer message;
  message.array(correction.owners);
  return {correction.rank, message.take()};
}

Correction correction_in(const mpi::Parcel& parcel) {
  return {parcel.rank, mpi::Unpacker(parcel.bytes).array<Correction::NewOwner>()};
}

}  // namespace plimsoll::runtime
