// Reductions over the elements of a collection. Each rank merges the values of its elements and of the ranks
// below it in a binary tree. When all of its elements have contributed, it passes on what it has, and later
// only what still arrives. Rank 0 counts the contributions.
#include <algorithm>
#include <cstring>
#include <utility>

#include <plimsoll/support/error.hpp>

#include "objects/messaging/handler_tables.hpp"
#include "objects/system/system_parts.hpp"

namespace plimsoll::inline v0_1::objects {

namespace {

constexpr int root = 0;

/// What precedes the packed value in a message.
struct PartialHeader {
  std::uint64_t count = 0;
  std::uint64_t receiver = 0;
  std::uint32_t receivers = 0;
  std::uint32_t sequence = 0;
};

}  // namespace

ObjectSystem::Reduction& ObjectSystem::reduction_of(ElementBase& element, std::uint32_t kind,
                                                    const CollectionBase& receivers, std::uint64_t receiver) {
  if (std::exchange(element.run_, parts_->n_runs) != parts_->n_runs) element.n_contributions_ = 0;
  Reduction& reduction = parts_->reductions[{element.collection_->number_, element.n_contributions_}];
  if (!reduction.partial) {
    reduction.partial = objects::reduction(kind)();
    reduction.kind = kind;
    reduction.receivers = receivers.number_;
    reduction.receiver = receiver;
  }
  if (reduction.kind != kind || reduction.receivers != receivers.number_ || reduction.receiver != receiver)
    throw support::usage_error(
        "contribute() is called for another reduction than that of the other elements",
        "call it for the same reductions in the same order in all elements of a collection");
  return reduction;
}

void ObjectSystem::contributed(ElementBase& element) {
  CollectionBase& collection = *element.collection_;
  const std::uint32_t sequence = element.n_contributions_++;
  Reduction& reduction = parts_->reductions.at({collection.number_, sequence});
  ++reduction.n_here;
  ++reduction.partial->count;
  parts_->pass_up(collection, sequence);
}

void ObjectSystem::Parts::merge_partial(const Envelope& envelope, std::span<const std::byte> bytes) {
  PartialHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  Reduction& reduction = reductions[{envelope.collection, header.sequence}];
  if (!reduction.partial) {
    reduction.partial = objects::reduction(envelope.function)();
    reduction.kind = envelope.function;
    reduction.receivers = header.receivers;
    reduction.receiver = header.receiver;
  }
  reduction.partial->merge_packed(bytes.subspan(sizeof header));
  reduction.partial->count += header.count;
  pass_up(collection(envelope.collection), header.sequence);
}

/// Sends what this rank has of a reduction towards the root, once all of its elements have contributed. On
/// the root, ends the reduction if it is complete.
void ObjectSystem::Parts::pass_up(CollectionBase& collection, std::uint32_t sequence) {
  const auto found = reductions.find({collection.number_, sequence});
  Reduction& reduction = found->second;
  const PartialReduction& partial = *reduction.partial;
  Contributors& elements = contributors.at(collection.number_);
  if (ranks.rank() == root) {
    if (partial.count < elements.n_all) return;
    // The sender is this rank: whose contribution comes last varies from run to run.
    ElementBase* const contributor = std::exchange(working, nullptr);
    reduction.partial->finish(system, this->collection(reduction.receivers), reduction.receiver);
    working = contributor;
    reductions.erase(found);
    return;
  }
  if (reduction.n_here >= elements.n_here) elements.n_complete = std::max(elements.n_complete, sequence + 1);
  if (sequence >= elements.n_complete) return;
  const PartialHeader header{partial.count, reduction.receiver, reduction.receivers, sequence};
  const Envelope envelope{.collection = collection.number_,
                          .function = reduction.kind,
                          .origin = ranks.rank(),
                          .kind = Envelope::Kind::reduce};
  const int parent = (ranks.rank() - 1) / 2;
  const std::span<std::byte> body =
      put(envelope, exchange.append(parent, sizeof envelope + sizeof header + partial.packed_bytes()));
  std::memcpy(body.data(), &header, sizeof header);
  partial.pack(body.subspan(sizeof header));
  reductions.erase(found);
}

/// Prepares for the reductions of the next run.
void ObjectSystem::Parts::end_reductions() {
  ++n_runs;
  reductions.clear();
  for (Contributors& of_collection : contributors) of_collection.n_complete = 0;
}

void ObjectSystem::Parts::count_elements() {
  contributors.resize(collections.size());
  note_contributors();
  std::vector<std::uint64_t> mine;
  for (const Contributors& of_collection : contributors) mine.push_back(of_collection.n_here);
  std::vector<std::uint64_t> all(mine.size());
  mpi::check(MPI_Allreduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_UINT64_T, MPI_SUM,
                           ranks.handle()),
             "MPI_Allreduce");
  for (std::size_t k = 0; k < all.size(); ++k) contributors[k].n_all = all[k];
  is_count_outdated = false;
}

void ObjectSystem::Parts::note_contributors() {
  for (std::size_t k = 0; k < contributors.size(); ++k)
    contributors[k].n_here = collections[k] == nullptr ? 0 : collections[k]->local_count();
}

}  // namespace plimsoll::objects
