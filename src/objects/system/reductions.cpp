// Reductions. Each rank merges the values of its elements.
//
// Over all elements of a collection: a rank also merges the values of the ranks below it in a binary tree.
// When all of its elements have contributed, it passes on what it has, and later only what still arrives.
// Rank 0 counts the contributions.
//
// Over a section: a rank does not know its members, and sends what it has to the receiver, or to its home if
// it is an element, whenever it has no other work. That rank counts the contributions.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include <plimsoll/support/error.hpp>

#include "objects/messaging/envelope.hpp"
#include "objects/system/system_parts.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

namespace {

constexpr int root_of_tree = 0;

/// Header of a message, in front of the packed value.
struct PartialHeader {
  std::uint64_t count = 0;
  std::uint64_t elements = 0;
  ReductionGoal goal;
  std::uint32_t sequence = 0;
};
}  // namespace

/// Returns the number of reductions in which an element has taken part.
std::uint32_t& ObjectSystem::Parts::n_contributions(ElementBase& element, const SectionId& section) {
  if (section.hash != 0) return section_contributions[{section.hash, element.number_}];
  if (std::exchange(element.run_, n_runs) != n_runs) element.n_contributions_ = 0;
  return element.n_contributions_;
}

/// Returns a reduction, which begins with this call on the rank where it is first mentioned.
Reduction& ObjectSystem::Parts::reduction(const ReductionKey& key, const ReductionGoal& goal) {
  auto found = reductions.find(key);
  if (found == reductions.end())
    found =
        reductions.emplace(key, Reduction{.goal = goal, .partial = function_of<StartReduction>(goal.kind)()})
            .first;
  if (found->second.goal != goal)
    throw support::usage_error(
        fmt::format("contribute() is called for another reduction over {} than by other elements",
                    name_of_reduction(key)),
        "call it for the same reductions in the same order in all elements of a collection or section");
  return found->second;
}

/// Returns a text such as `a section of "cells"`.
std::string ObjectSystem::Parts::name_of_reduction(const ReductionKey& key) const {
  const CollectionBase* const contributing = collections[key.collection];  // nullptr if destroyed since
  return fmt::format(
      "{}{}", key.section == 0 ? "" : "a section of ",
      contributing == nullptr ? "a destroyed collection" : fmt::format("\"{}\"", contributing->name()));
}

Reduction& ObjectSystem::reduction_of(ElementBase& element, const ReductionGoal& goal) {
  if (goal.section.hash == 0 && element.last_count_ == parts_->n_counts)
    throw support::usage_error(
        fmt::format("{} contributes to a reduction over its collection, but was created after its elements "
                    "were counted",
                    parts_->name_of(*element.collection_, element.number_)),
        "call run_until_quiet() between its creation and contribute()");
  const std::uint32_t sequence = parts_->n_contributions(element, goal.section);
  return parts_->reduction({element.collection_->number_, sequence, goal.section.hash}, goal);
}

void ObjectSystem::contributed(ElementBase& element, const SectionId& section) {
  const std::uint32_t sequence = parts_->n_contributions(element, section)++;
  const Parts::ReductionKey key{element.collection_->number_, sequence, section.hash};
  Reduction& reduction = parts_->reductions.at(key);
  ++reduction.n_here;
  ++reduction.partial->count;
  reduction.partial->elements += hash_of_member(key.collection, element.number_);
  parts_->pass_up(key);
}

void ObjectSystem::Parts::merge_partial(const Envelope& envelope, std::span<const std::byte> bytes) {
  PartialHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  const ReductionKey key{envelope.collection, header.sequence, header.goal.section.hash};
  PartialReduction& partial = *reduction(key, header.goal).partial;
  partial.merge_packed(bytes.subspan(sizeof header));
  partial.count += header.count;
  partial.elements += header.elements;
  pass_up(key);
}

/// Returns the rank that counts the contributions.
int ObjectSystem::Parts::root_of(const ReductionGoal& goal) const {
  if (goal.section.hash == 0) return root_of_tree;
  if (goal.receivers == ranks_as_receivers) return static_cast<int>(goal.receiver);
  return collection(goal.receivers).home_of(goal.receiver);
}

/// Ends a reduction on its root if it is complete. In a tree, sends what this rank has towards the root, once
/// all of its elements have contributed.
void ObjectSystem::Parts::pass_up(const ReductionKey& key) {
  Reduction& reduction = reductions.at(key);
  const ReductionGoal goal = reduction.goal;
  const bool is_tree = goal.section.hash == 0;
  Contributors& elements = contributors.at(key.collection);
  if (ranks.rank() == root_of(goal)) {
    const std::uint64_t n_expected = is_tree ? elements.n_all : goal.section.count;
    if (reduction.partial->count < n_expected) return;
    if (reduction.partial->count > n_expected)
      throw support::usage_error(
          fmt::format("too many contributions to a reduction over {}: {} instead of {}",
                      name_of_reduction(key), reduction.partial->count, n_expected),
          "call contribute() once in each element of the collection or section");
    if (!is_tree && reduction.partial->elements != goal.section.hash)
      throw support::usage_error(fmt::format("reduction over {}: other elements than its members contribute",
                                             name_of_reduction(key)),
                                 "call contribute() with the id() of a section once in each of its members");
    // The sender is this rank: whose contribution comes last varies from run to run.
    const Replaced<ElementBase*> sender(working, nullptr);
    CollectionBase* const receivers =
        goal.receivers == ranks_as_receivers ? nullptr : &collection(goal.receivers);
    reduction.partial->finish(system, receivers, goal.receiver);
    reductions.erase(key);
    return;
  }
  if (!is_tree) {
    if (!std::exchange(reduction.is_unsent, true)) unsent_sections.push_back(key);
    return;
  }
  if (reduction.n_here >= elements.n_here)
    elements.n_complete = std::max(elements.n_complete, key.sequence + 1);
  if (key.sequence < elements.n_complete) send_partial(key, (ranks.rank() - 1) / 2);
}

/// Sends what this rank has of reductions over sections. Drops what cannot be sent, and notes why.
void ObjectSystem::Parts::send_partials_of_sections() {
  for (const ReductionKey& key : std::exchange(unsent_sections, {})) {
    try {
      send_partial(key, root_of(reductions.at(key).goal));
    } catch (...) {
      note_error("reduction over " + name_of_reduction(key));
      reductions.erase(key);
    }
  }
}

void ObjectSystem::Parts::send_partial(const ReductionKey& key, int to) {
  const auto found = reductions.find(key);
  const Reduction& reduction = found->second;
  const PartialHeader header{reduction.partial->count, reduction.partial->elements, reduction.goal,
                             key.sequence};
  std::vector<std::byte> body(sizeof header + reduction.partial->packed_bytes());
  std::memcpy(body.data(), &header, sizeof header);
  reduction.partial->pack(std::span(body).subspan(sizeof header));
  append(to, {.collection = key.collection, .origin = ranks.rank(), .kind = Envelope::Kind::reduce}, body);
  reductions.erase(found);
}

Error ObjectSystem::Parts::incomplete_reduction() const {
  constexpr std::uint32_t none = ~std::uint32_t{0};
  const auto first =
      ranks.all_reduce<[](ReductionKey& left, const ReductionKey& right) { left = std::min(left, right); }>(
          reductions.empty() ? ReductionKey{.collection = none} : reductions.begin()->first);
  struct Progress {
    std::uint64_t n_contributed = 0, n_members = 0;
  } mine;
  if (const auto found = reductions.find(first); found != reductions.end())
    mine = {found->second.partial->count, found->second.goal.section.count};
  const auto all = ranks.all_reduce<[](Progress& left, const Progress& right) {
    left.n_contributed += right.n_contributed;
    left.n_members = std::max(left.n_members, right.n_members);
  }>(mine);
  const bool is_section = first.section != 0;
  const std::uint64_t n_expected = is_section ? all.n_members : contributors[first.collection].n_all;
  const std::string place =
      fmt::format("phase {}: no message is left, but a reduction is incomplete: ", recorder.phase());
  if (is_section && all.n_contributed >= n_expected)
    return support::usage_error(
        fmt::format("{}the members of {} contribute to different receivers", place, name_of_reduction(first)),
        "call contribute() with the same receiver in all members");
  return support::usage_error(
      fmt::format("{}{} of {} elements of {} have contributed", place, all.n_contributed, n_expected,
                  name_of_reduction(first)),
      fmt::format("call contribute() once in all {}",
                  is_section ? "members of the section" : "elements of the collection"));
}

/// Prepares for the reductions of the next run.
void ObjectSystem::Parts::end_reductions() {
  ++n_runs;
  reductions.clear();
  unsent_sections.clear();
  section_contributions.clear();
  for (Contributors& of_collection : contributors) of_collection.n_complete = 0;
}

void ObjectSystem::Parts::count_elements() {
  note_contributors();
  std::vector<std::uint64_t> mine;
  for (const Contributors& of_collection : contributors) mine.push_back(of_collection.n_here);
  std::vector<std::uint64_t> all(mine.size());
  mpi::check(MPI_Allreduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_UINT64_T, MPI_SUM,
                           ranks.handle()),
             "MPI_Allreduce");
  for (std::size_t k = 0; k < all.size(); ++k) contributors[k].n_all = all[k];
  is_count_outdated = false;
  ++n_counts;
}

void ObjectSystem::Parts::note_contributors() {
  for (std::size_t k = 0; k < contributors.size(); ++k)
    contributors[k].n_here = collections[k] == nullptr ? 0 : collections[k]->local_count();
}

}  // namespace plimsoll::objects
