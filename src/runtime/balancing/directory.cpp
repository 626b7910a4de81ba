#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include <plimsoll/mpi/error_agreement.hpp>
#include <plimsoll/mpi/sparse_exchange.hpp>
#include <plimsoll/runtime/directory.hpp>
#include <plimsoll/support/current_error.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/balancing/directory_part.hpp"
#include "runtime/balancing/owner_table.hpp"
#include "runtime/recording/object_name.hpp"

namespace plimsoll::inline v0_1::runtime {

namespace {

constexpr std::size_t prefetch_distance = 16;

/// A parcel of one number and a list of values.
template <class Value>
mpi::Parcel directory_parcel(int rank, std::uint64_t number, std::span<const Value> values) {
  const auto content = std::as_bytes(values);
  mpi::Parcel parcel{rank, std::vector<std::byte>(sizeof number + content.size())};
  std::memcpy(parcel.bytes.data(), &number, sizeof number);
  std::ranges::copy(content, parcel.bytes.begin() + sizeof number);
  return parcel;
}

std::uint64_t number_in(const mpi::Parcel& parcel) {
  std::uint64_t number = 0;
  std::memcpy(&number, parcel.bytes.data(), sizeof number);
  return number;
}

/// Returns the list of values. The memory of a parcel is aligned like that of malloc.
template <class Value>
std::span<const Value> values_in(const mpi::Parcel& parcel) {
  const auto content = std::span(parcel.bytes).subspan(sizeof(std::uint64_t));
  return {reinterpret_cast<const Value*>(content.data()), content.size() / sizeof(Value)};
}

/// Correction of an answer.
struct NewOwner {
  ObjectId id = ObjectId::none;
  std::int64_t rank = no_rank;
};

/// Object that two ranks declare.
struct Conflict {
  std::uint64_t object = 0;
  int first = no_rank;
  int second = no_rank;
};

void keep_lowest(Conflict& left, const Conflict& right) {
  const bool is_lower = left.first == no_rank || right.object < left.object;
  if (right.first != no_rank && is_lower) left = right;
}

std::vector<ObjectId> sorted_objects(std::span<const ObjectId> here, int rank) {
  std::vector<ObjectId> sorted(here.begin(), here.end());
  if (!std::ranges::is_sorted(sorted)) std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end()) {
    throw support::usage_error(fmt::format("{} is declared twice on rank {}", name_of(*twice), rank),
                               "specify each object once");
  }
  return sorted;
}

}  // namespace

class Directory::State {
 public:
  State(const mpi::Communicator& communicator, std::size_t max_remembered)
      : communicator_(communicator), max_remembered_(max_remembered) {}

  void update(std::span<const ObjectId> here);
  std::vector<int> owner(std::span<const ObjectId> ids);
  int known_owner(ObjectId id) const { return known_.rank_of(id); }

 private:
  struct Question {
    std::vector<ObjectId> ids;
    std::vector<std::size_t> positions;  // in the list of the caller
  };
  using Undo = std::vector<std::pair<ObjectId, int>>;

  /// Uses the upper bits of the hash, because tables use the lower ones.
  int directory_rank_of(ObjectId id) const {
    return static_cast<int>(((hash_of(id) >> 32) * static_cast<std::uint64_t>(communicator_.size())) >> 32);
  }
  bool agreed_on_any(const std::function<bool()>& work) const;
  std::vector<mpi::Parcel> declarations(std::span<const ObjectId> removed,
                                        std::span<const ObjectId> added) const;
  void record_declarations(const std::vector<mpi::Parcel>& received);
  std::optional<Conflict> record(const std::vector<mpi::Parcel>& received, Undo& undo);
  std::vector<mpi::Parcel> corrections(const std::vector<mpi::Parcel>& received);
  void correct(const std::vector<mpi::Parcel>& received);
  std::map<int, Question> find_known(std::span<const ObjectId> ids, std::vector<int>& owners) const;
  void forget();
  std::vector<mpi::Parcel> questions_for(const std::map<int, Question>& missing, bool remember,
                                         bool has_forgotten) const;
  std::vector<mpi::Parcel> answers_to(const std::vector<mpi::Parcel>& questions);

  const mpi::Communicator& communicator_;
  std::size_t max_remembered_;
  std::vector<ObjectId> here_;  // sorted
  OwnerTable known_;            // objects here, and answers
  DirectoryPart part_;
};

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

void Directory::State::update(std::span<const ObjectId> here) {
  std::vector<ObjectId> now;
  std::vector<ObjectId> removed;
  std::vector<ObjectId> added;
  std::vector<mpi::Parcel> outgoing;
  const bool any_differences = agreed_on_any([&] {
    now = sorted_objects(here, communicator_.rank());
    std::ranges::set_difference(here_, now, std::back_inserter(removed));
    std::ranges::set_difference(now, here_, std::back_inserter(added));
    outgoing = declarations(removed, added);
    return !outgoing.empty();
  });
  if (!any_differences) return;

  const auto received = exchange(communicator_, std::move(outgoing));
  record_declarations(received);
  correct(exchange(communicator_, corrections(received)));
  mpi::agreed(communicator_, [&] {
    for (const ObjectId id : removed)
      if (known_.rank_of(id) == communicator_.rank()) known_.set_rank(id, no_rank);
    for (const ObjectId id : added) known_.set_rank(id, communicator_.rank());
    known_.remove_unused();
    part_.remove_unused();
  });
  here_ = std::move(now);
}

/// Returns a parcel for each directory rank concerned: the number of removed objects, these, and added ones.
std::vector<mpi::Parcel> Directory::State::declarations(std::span<const ObjectId> removed,
                                                        std::span<const ObjectId> added) const {
  std::map<int, std::pair<std::vector<ObjectId>, std::size_t>> by_directory_rank;
  for (const ObjectId id : removed) {
    auto& [ids, n_removed] = by_directory_rank[directory_rank_of(id)];
    ids.push_back(id);
    ++n_removed;
  }
  for (const ObjectId id : added) by_directory_rank[directory_rank_of(id)].first.push_back(id);
  std::vector<mpi::Parcel> parcels;
  parcels.reserve(by_directory_rank.size());
  for (const auto& [to, list] : by_directory_rank)
    parcels.push_back(directory_parcel<ObjectId>(to, list.second, list.first));
  return parcels;
}

/// Records the declarations for this directory rank, or throws on all ranks and records nothing.
void Directory::State::record_declarations(const std::vector<mpi::Parcel>& received) {
  Undo undo;
  const auto undo_all = [&] {
    for (; !undo.empty(); undo.pop_back()) part_.set_rank(undo.back().first, undo.back().second);
  };
  std::optional<Conflict> mine;
  try {
    mpi::agreed(communicator_, [&] { mine = record(received, undo); });
  } catch (...) {
    undo_all();
    throw;
  }
  const auto conflict = communicator_.all_reduce<keep_lowest>(mine.value_or(Conflict{}));
  if (conflict.first == no_rank) return;
  undo_all();
  throw support::usage_error(fmt::format("{} is declared on rank {} and on rank {}",
                                         name_of(ObjectId{conflict.object}), conflict.first, conflict.second),
                             "remove it from one of them");
}

std::optional<Conflict> Directory::State::record(const std::vector<mpi::Parcel>& received, Undo& undo) {
  std::size_t count = 0;
  for (const mpi::Parcel& parcel : received) count += values_in<ObjectId>(parcel).size();
  undo.reserve(count);
  for (const mpi::Parcel& parcel : received) {
    for (const ObjectId id : values_in<ObjectId>(parcel).first(number_in(parcel))) {
      part_.set_rank(id, no_rank);
      undo.emplace_back(id, parcel.rank);
    }
  }
  std::optional<Conflict> lowest;
  for (const mpi::Parcel& parcel : received) {
    for (const ObjectId id : values_in<ObjectId>(parcel).subspan(number_in(parcel))) {
      const int other = part_.set_rank(id, parcel.rank);
      undo.emplace_back(id, other);
      const auto object = static_cast<std::uint64_t>(id);
      if (other != no_rank && (!lowest || object < lowest->object))
        lowest = {object, std::min(other, parcel.rank), std::max(other, parcel.rank)};
    }
  }
  return lowest;
}

/// Returns a parcel for each rank that remembers the previous rank of an object.
std::vector<mpi::Parcel> Directory::State::corrections(const std::vector<mpi::Parcel>& received) {
  std::map<int, std::vector<NewOwner>> by_asker;
  const auto correct_answers = [&](ObjectId id, int rank) {
    part_.notify_askers(id, [&](int asker) { by_asker[asker].push_back({id, rank}); });
  };
  for (const mpi::Parcel& parcel : received) {
    const auto ids = values_in<ObjectId>(parcel);
    for (const ObjectId id : ids.first(number_in(parcel)))
      if (part_.rank_of(id) == no_rank) correct_answers(id, no_rank);
    for (const ObjectId id : ids.subspan(number_in(parcel))) correct_answers(id, parcel.rank);
  }
  std::vector<mpi::Parcel> parcels;
  parcels.reserve(by_asker.size());
  for (const auto& [asker, owners] : by_asker)
    parcels.push_back(directory_parcel<NewOwner>(asker, 0, owners));
  return parcels;
}

void Directory::State::correct(const std::vector<mpi::Parcel>& received) {
  for (const mpi::Parcel& parcel : received) {
    for (const NewOwner& owner : values_in<NewOwner>(parcel)) {
      if (known_.rank_of(owner.id) != no_rank) known_.set_rank(owner.id, static_cast<int>(owner.rank));
    }
  }
}

std::vector<int> Directory::State::owner(std::span<const ObjectId> ids) {
  std::vector<int> owners;
  std::map<int, Question> missing;
  bool remember = false;
  std::vector<mpi::Parcel> outgoing;
  const bool any_questions = agreed_on_any([&] {
    owners.resize(ids.size());
    missing = find_known(ids, owners);
    std::size_t n_missing = 0;
    for (const auto& [to, question] : missing) n_missing += question.ids.size();
    remember = n_missing <= max_remembered_;
    const bool is_full = remember && known_.size() + n_missing > max_remembered_ + here_.size();
    if (is_full) forget();
    outgoing = questions_for(missing, remember, is_full);
    return !outgoing.empty();
  });
  if (!any_questions) return owners;

  const auto questions = exchange(communicator_, std::move(outgoing));
  std::vector<mpi::Parcel> answers;
  mpi::agreed(communicator_, [&] { answers = answers_to(questions); });
  answers = exchange(communicator_, std::move(answers));
  mpi::agreed(communicator_, [&] {
    for (const mpi::Parcel& answer : answers) {
      const auto ranks = values_in<int>(answer);
      const Question& question = missing.at(answer.rank);
      for (std::size_t k = 0; k < ranks.size(); ++k) {
        owners[question.positions[k]] = ranks[k];
        if (remember) known_.set_rank(question.ids[k], ranks[k]);
      }
    }
  });
  return owners;
}

/// Looks up what is known here. Returns the rest by directory rank.
std::map<int, Directory::State::Question> Directory::State::find_known(std::span<const ObjectId> ids,
                                                                       std::vector<int>& owners) const {
  std::map<int, Question> missing;
  for (std::size_t k = 0; k < ids.size(); ++k) {
    if (k + prefetch_distance < ids.size()) known_.prefetch(ids[k + prefetch_distance]);
    owners[k] = known_.rank_of(ids[k]);
    if (owners[k] != no_rank) continue;
    Question& question = missing[directory_rank_of(ids[k])];
    question.ids.push_back(ids[k]);
    question.positions.push_back(k);
  }
  return missing;
}

void Directory::State::forget() {
  known_.clear();
  for (const ObjectId id : here_) known_.set_rank(id, communicator_.rank());
}

namespace {

// Bits of the number in a question.
constexpr std::uint64_t will_remember = 1;
constexpr std::uint64_t has_forgotten_all = 2;

}  // namespace

std::vector<mpi::Parcel> Directory::State::questions_for(const std::map<int, Question>& missing,
                                                         bool remember, bool has_forgotten) const {
  const std::uint64_t bits = (remember ? will_remember : 0) | (has_forgotten ? has_forgotten_all : 0);
  std::vector<mpi::Parcel> parcels;
  for (int to = 0; to < communicator_.size(); ++to) {
    const auto question = missing.find(to);
    if (question != missing.end())
      parcels.push_back(directory_parcel<ObjectId>(to, bits, question->second.ids));
    else if (has_forgotten)
      parcels.push_back(directory_parcel<ObjectId>(to, bits, {}));
  }
  return parcels;
}

std::vector<mpi::Parcel> Directory::State::answers_to(const std::vector<mpi::Parcel>& questions) {
  std::vector<int> forgetful;
  for (const mpi::Parcel& question : questions)
    if ((number_in(question) & has_forgotten_all) != 0) forgetful.push_back(question.rank);
  if (!forgetful.empty()) part_.remove_askers(forgetful);

  std::vector<mpi::Parcel> answers;
  for (const mpi::Parcel& question : questions) {
    const auto ids = values_in<ObjectId>(question);
    if (ids.empty()) continue;
    const bool will_be_remembered = (number_in(question) & will_remember) != 0;
    std::vector<int> ranks(ids.size());
    for (std::size_t k = 0; k < ids.size(); ++k) {
      if (k + prefetch_distance < ids.size()) part_.prefetch(ids[k + prefetch_distance]);
      ranks[k] = will_be_remembered ? part_.ask(ids[k], question.rank) : part_.rank_of(ids[k]);
    }
    answers.push_back(directory_parcel<int>(question.rank, 0, ranks));
  }
  return answers;
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

std::optional<int> Directory::known_owner(ObjectId id) const {
  const int rank = state_->known_owner(id);
  return rank == no_rank ? std::nullopt : std::optional(rank);
}

}  // namespace plimsoll::runtime
