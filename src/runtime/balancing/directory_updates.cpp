// Tells the directory ranks which objects have come and gone.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/balancing/directory_state.hpp"
#include "runtime/recording/object_entity.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

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
  std::vector<mpi::Parcel> parcels;
  parcels.reserve(by_directory_rank.size());
  for (auto& [to, declaration] : by_directory_rank) {
    declaration.rank = to;
    parcels.push_back(parcel_of(declaration));
  }
  return parcels;
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
      declarations.reserve(received.size());
      for (const mpi::Parcel& parcel : received) declarations.push_back(declaration_in(parcel));
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

/// Returns a correction for each rank that remembers the previous rank of an object.
std::vector<mpi::Parcel> Directory::State::corrections(const std::vector<Declaration>& declarations) {
  std::map<int, Correction> by_asker;
  const auto correct_answers = [&](ObjectId id, int rank) {
    part_.notify_askers(id, [&](int asker) { by_asker[asker].owners.push_back({id, rank}); });
  };
  for (const Declaration& declaration : declarations) {
    for (const ObjectId id : declaration.removed)
      if (part_.rank_of(id) == no_rank) correct_answers(id, no_rank);
    for (const ObjectId id : declaration.added) correct_answers(id, declaration.rank);
  }
  std::vector<mpi::Parcel> parcels;
  parcels.reserve(by_asker.size());
  for (auto& [asker, correction] : by_asker) {
    correction.rank = asker;
    parcels.push_back(parcel_of(correction));
  }
  return parcels;
}

void Directory::State::correct(const std::vector<mpi::Parcel>& received) {
  for (const mpi::Parcel& parcel : received) {
    for (const auto& [id, rank] : correction_in(parcel).owners) {
      if (known_.rank_of(id) != no_rank) known_.set_rank(id, static_cast<int>(rank));
    }
  }
}

}  // namespace plimsoll::runtime
