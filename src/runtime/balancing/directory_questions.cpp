// Asks the directory ranks where objects are, and answers such questions.
#include <utility>

#include <plimsoll/mpi/communicator.hpp>

#include "runtime/balancing/directory_state.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

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
