#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/mpi/sparse_exchange.hpp>
#include <plimsoll/runtime/directory.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/balancing/directory_part.hpp"
#include "runtime/recording/object_registry.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

constexpr std::size_t prefetch_distance = 16;

/// Difference of the objects on a rank, for their directory rank.
struct Declaration {
  int rank = 0;
  std::vector<ObjectId> removed;
  std::vector<ObjectId> added;
};

/// Asks a directory rank where objects are.
struct Question {
  int rank = 0;
  bool will_remember = false;  ///< whether the sender will remember the answer
  bool has_forgotten = false;  ///< whether the sender has forgotten all earlier answers
  std::vector<ObjectId> ids;
};

/// Corrects an answer that the receiver may remember.
struct NewOwner {
  ObjectId id = ObjectId::none;
  std::int64_t rank = 0;
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

/// A Directory on this rank.
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
  return rank == no_rank ? std::nullopt : std::optional(rank);
}

std::optional<int> Directory::known_owner(ObjectId id) const {
  const int rank = state_->known_owner(id);
  return rank == no_rank ? std::nullopt : std::optional(rank);
}

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

// Updates: tell the directory ranks which objects have come and gone.

void Directory::State::update(std::span<const ObjectId> here) {
  std::vector<ObjectId> now;
  std::vector<ObjectId> removed;
  std::vector<ObjectId> added;
  std::vector<mpi::Parcel> outgoing;
  const bool any_differences = agreed_on_any([&] {
    now = sorted_objects(here, communicator_.rank());
    std::ranges::set_difference(here_, now, std::back_inserter(removed));
    std::ranges::set_difference(now, here_, std::back_inserter(added));
    outgoing = declare(removed, added);
    return !outgoing.empty();
  });
  if (!any_differences) return;
  const auto declarations = record_declarations(exchange(communicator_, std::move(outgoing)));
  std::vector<mpi::Parcel> outdated;
  mpi::agreed(communicator_, [&] { outdated = corrections(declarations); });
  const auto received = exchange(communicator_, std::move(outdated));
  mpi::agreed(communicator_, [&] {
    correct(received);
    for (const ObjectId id : removed)
      if (known_.rank_of(id) == communicator_.rank()) known_.set_rank(id, no_rank);
    for (const ObjectId id : added) known_.set_rank(id, communicator_.rank());
    known_.remove_unused();
    part_.remove_unused();
  });
  here_ = std::move(now);
  PLIMSOLL_ENSURE(std::ranges::is_sorted(here_));
}

/// Returns a declaration for each directory rank concerned.
std::vector<mpi::Parcel> Directory::State::declare(std::span<const ObjectId> removed,
                                                   std::span<const ObjectId> added) const {
  std::map<int, Declaration> by_directory_rank;
  for (const ObjectId id : removed) by_directory_rank[directory_rank_of(id)].removed.push_back(id);
  for (const ObjectId id : added) by_directory_rank[directory_rank_of(id)].added.push_back(id);
  mpi::Messages messages;
  for (const auto& [to, declaration] : by_directory_rank) {
    messages[to](declaration.removed, declaration.added);
  }
  return parcels_of(messages);
}

/// Records the declarations for this directory rank and returns them, or throws on all ranks and records
/// nothing.
std::vector<Declaration> Directory::State::record_declarations(const std::vector<mpi::Parcel>& received) {
  std::vector<Declaration> declarations;
  Undo undo;
  const auto undo_all = [&] {
    for (; !undo.empty(); undo.pop_back()) part_.set_rank(undo.back().first, undo.back().second);
  };
  std::optional<Conflict> mine;
  try {
    mpi::agreed(communicator_, [&] {
      for (const mpi::Parcel& parcel : received) {
        Declaration& declaration = declarations.emplace_back(Declaration{.rank = parcel.rank});
        mpi::Unpacker(parcel.bytes)(declaration.removed, declaration.added);
      }
      mine = record(declarations, undo);
    });
  } catch (...) {
    undo_all();
    throw;
  }
  const auto conflict = communicator_.all_reduce<keep_lowest>(mine.value_or(Conflict{}));
  if (conflict.first == no_rank) return declarations;
  undo_all();
  throw support::usage_error(fmt::format("{} is declared on rank {} and on rank {}",
                                         name_of(ObjectId{conflict.object}), conflict.first, conflict.second),
                             "remove it from one of them");
}

std::optional<Conflict> Directory::State::record(const std::vector<Declaration>& declarations, Undo& undo) {
  std::size_t count = 0;
  for (const Declaration& declaration : declarations)
    count += declaration.removed.size() + declaration.added.size();
  undo.reserve(count);
  for (const Declaration& declaration : declarations) {
    for (const ObjectId id : declaration.removed) {
      part_.set_rank(id, no_rank);
      undo.emplace_back(id, declaration.rank);
    }
  }
  std::optional<Conflict> lowest;
  for (const Declaration& declaration : declarations) {
    for (const ObjectId id : declaration.added) {
      const int other = part_.set_rank(id, declaration.rank);
      undo.emplace_back(id, other);
      const auto object = static_cast<std::uint64_t>(id);
      if (other != no_rank && (!lowest || object < lowest->object))
        lowest = {object, std::min(other, declaration.rank), std::max(other, declaration.rank)};
    }
  }
  return lowest;
}

/// Returns corrections for each rank that remembers the previous rank of an object.
std::vector<mpi::Parcel> Directory::State::corrections(const std::vector<Declaration>& declarations) {
  mpi::Messages messages;
  const auto correct_answers = [&](ObjectId id, int rank) {
    part_.notify_askers(id, [&](int asker) { messages[asker].value(NewOwner{id, rank}); });
  };
  for (const Declaration& declaration : declarations) {
    for (const ObjectId id : declaration.removed)
      if (part_.rank_of(id) == no_rank) correct_answers(id, no_rank);
    for (const ObjectId id : declaration.added) correct_answers(id, declaration.rank);
  }
  return parcels_of(messages);
}

void Directory::State::correct(const std::vector<mpi::Parcel>& received) {
  for (const mpi::Parcel& parcel : received) {
    for (mpi::Unpacker message(parcel.bytes); !message.at_end();) {
      const auto [id, rank] = message.value<NewOwner>();
      if (known_.rank_of(id) != no_rank) known_.set_rank(id, static_cast<int>(rank));
    }
  }
}

// Questions.

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
      const auto answer = mpi::Unpacker(parcel.bytes).array<int>();
      const Unknown& objects = unknown.at(parcel.rank);
      for (std::size_t k = 0; k < answer.size(); ++k) {
        owners[objects.positions[k]] = answer[k];
        if (remember) known_.set_rank(objects.ids[k], answer[k]);
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
  mpi::Messages messages;
  for (int to = 0; to < communicator_.size(); ++to) {
    const auto objects = unknown.find(to);
    if (objects == unknown.end() && !has_forgotten) continue;
    messages[to](remember, has_forgotten,
                 objects == unknown.end() ? std::vector<ObjectId>() : objects->second.ids);
  }
  return parcels_of(messages);
}

std::vector<mpi::Parcel> Directory::State::answers_to(const std::vector<mpi::Parcel>& received) {
  std::vector<Question> questions;
  std::vector<int> forgetful;
  for (const mpi::Parcel& parcel : received) {
    Question& question = questions.emplace_back(Question{.rank = parcel.rank});
    mpi::Unpacker(parcel.bytes)(question.will_remember, question.has_forgotten, question.ids);
    if (question.has_forgotten) forgetful.push_back(question.rank);
  }
  if (!forgetful.empty()) part_.remove_askers(forgetful);
  mpi::Messages answers;
  for (const auto& [asker, will_remember, has_forgotten, ids] : questions) {
    if (ids.empty()) continue;
    std::vector<int> owners(ids.size());
    for (std::size_t k = 0; k < ids.size(); ++k) {
      if (k + prefetch_distance < ids.size()) part_.prefetch(ids[k + prefetch_distance]);
      owners[k] = will_remember ? part_.ask(ids[k], asker) : part_.rank_of(ids[k]);
    }
    answers[asker].array(owners);
  }
  return parcels_of(answers);
}

}  // namespace plimsoll::runtime
