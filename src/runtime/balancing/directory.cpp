#include <mpi.h>

#include <array>
#include <utility>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/runtime/directory.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/balancing/directory_state.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Returns on all ranks whether `work` returns true on any rank, or throws the error of the lowest rank where
/// it throws. Like mpi::agreed(), but with a result and nevertheless only one reduction.
bool Directory::State::agreed_on_any(const std::function<bool()>& work) const {
  std::optional<Error> error;
  std::array<int, 2> mine = {communicator_.size(), 1};  // lowest rank with an error; 0 if any is true
  try {
    if (work()) mine[1] = 0;
  } catch (...) {
    error = support::current_error();
    mine[0] = communicator_.rank();
  }
  std::array<int, 2> all{};
  mpi::check(MPI_Allreduce(mine.data(), all.data(), 2, MPI_INT, MPI_MIN, communicator_.handle()),
             "MPI_Allreduce");
  if (all[0] < communicator_.size()) mpi::throw_error_of(communicator_, all[0], error);
  return all[1] == 0;
}

Directory::Directory(const mpi::Communicator& communicator, std::size_t max_remembered)
    : state_(std::make_unique<State>(communicator, max_remembered)) {}
Directory::Directory(Directory&&) noexcept = default;
Directory& Directory::operator=(Directory&&) noexcept = default;
Directory::~Directory() = default;

void Directory::update(std::span<const ObjectId> here) {
  state_->update(here);
}

std::vector<int> Directory::owner(std::span<const ObjectId> ids) {
  return state_->owner(ids);
}

int Directory::directory_rank(ObjectId id) const {
  return state_->directory_rank_of(id);
}

std::optional<int> Directory::declared_rank(ObjectId id) const {
  const int rank = state_->declared_rank(id);
  if (rank == no_rank) return {};
  return rank;
}

std::optional<int> Directory::known_owner(ObjectId id) const {
  const int rank = state_->known_owner(id);
  return rank == no_rank ? std::nullopt : std::optional(rank);
}

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

namespace {

constexpr std::size_t prefetch_distance = 16;

}  // namespace

std::vector<int> Directory::State::owner(std::span<const ObjectId> ids) {
  std::vector<int> owners;
  UnknownByRank unknown;
  bool remember = false;
  std::vector<mpi::Parcel> outgoing;
  const bool any_questions = agreed_on_any([&] {
    owners.resize(ids.size());
    unknown = find_known(ids, owners);
    std::size_t n_unknown = 0;
    for (const auto& [to, objects] : unknown) n_unknown += objects.ids.size();
    remember = n_unknown <= max_remembered_;
    const bool is_full = remember && known_.size() + n_unknown > max_remembered_ + here_.size();
    if (is_full) forget();
    outgoing = questions_for(unknown, remember, is_full);
    return !outgoing.empty();
  });
  if (!any_questions) return owners;

  const auto questions = exchange(communicator_, std::move(outgoing));
  std::vector<mpi::Parcel> answers;
  mpi::agreed(communicator_, [&] { answers = answers_to(questions); });
  answers = exchange(communicator_, std::move(answers));
  mpi::agreed(communicator_, [&] {
    for (const mpi::Parcel& parcel : answers) {
      const Answer answer = answer_in(parcel);
      const Unknown& objects = unknown.at(answer.rank);
      for (std::size_t k = 0; k < answer.owners.size(); ++k) {
        owners[objects.positions[k]] = answer.owners[k];
        if (remember) known_.set_rank(objects.ids[k], answer.owners[k]);
      }
    }
  });
  return owners;
}

/// Looks up what is known here. Returns the rest by directory rank.
Directory::State::UnknownByRank Directory::State::find_known(std::span<const ObjectId> ids,
                                                             std::vector<int>& owners) const {
  UnknownByRank unknown;
  for (std::size_t k = 0; k < ids.size(); ++k) {
    if (k + prefetch_distance < ids.size()) known_.prefetch(ids[k + prefetch_distance]);
    owners[k] = known_.rank_of(ids[k]);
    if (owners[k] != no_rank) continue;
    Unknown& objects = unknown[directory_rank_of(ids[k])];
    objects.ids.push_back(ids[k]);
    objects.positions.push_back(k);
  }
  return unknown;
}

void Directory::State::forget() {
  known_.clear();
  for (const ObjectId id : here_) known_.set_rank(id, communicator_.rank());
}

std::vector<mpi::Parcel> Directory::State::questions_for(const UnknownByRank& unknown, bool remember,
                                                         bool has_forgotten) const {
  std::vector<mpi::Parcel> parcels;
  for (int to = 0; to < communicator_.size(); ++to) {
    const auto objects = unknown.find(to);
    if (objects == unknown.end() && !has_forgotten) continue;
    Question question{.rank = to, .will_remember = remember, .has_forgotten = has_forgotten};
    if (objects != unknown.end()) question.ids = objects->second.ids;
    parcels.push_back(parcel_of(question));
  }
  return parcels;
}

std::vector<mpi::Parcel> Directory::State::answers_to(const std::vector<mpi::Parcel>& received) {
  std::vector<Question> questions;
  questions.reserve(received.size());
  for (const mpi::Parcel& parcel : received) questions.push_back(question_in(parcel));
  std::vector<int> forgetful;
  for (const Question& question : questions)
    if (question.has_forgotten) forgetful.push_back(question.rank);
  if (!forgetful.empty()) part_.remove_askers(forgetful);

  std::vector<mpi::Parcel> answers;
  for (const auto& [asker, ids, will_remember, has_forgotten] : questions) {
    if (ids.empty()) continue;
    Answer answer{asker, std::vector<int>(ids.size())};
    for (std::size_t k = 0; k < ids.size(); ++k) {
      if (k + prefetch_distance < ids.size()) part_.prefetch(ids[k + prefetch_distance]);
      answer.owners[k] = will_remember ? part_.ask(ids[k], asker) : part_.rank_of(ids[k]);
    }
    answers.push_back(parcel_of(answer));
  }
  return answers;
}

}  // namespace plimsoll::runtime
