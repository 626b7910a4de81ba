// Finds the ranks of elements. A message goes to the rank where the sender believes the element to be: where
// it was last, else its home. A rank that does not have the element asks its directory, which the rank
// Directory::directory_rank() keeps: it knows all elements that are away from home.
#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/support/error.hpp>

#include "objects/elements/element_key.hpp"
#include "objects/system/system_parts.hpp"

namespace plimsoll::inline v0_1::objects {

std::optional<int> ObjectSystem::Parts::next_rank(const CollectionBase& collection, std::uint64_t number,
                                                  bool& is_final) const {
  const ObjectId id = id_of(collection, number);
  const int directory_rank = directory.directory_rank(id);
  if (directory_rank != ranks.rank()) return directory_rank;
  if (const std::optional<int> rank = directory.declared_rank(id)) return rank;
  const int home = collection.home_of(number);
  is_final = true;
  if (home == ranks.rank()) return {};
  return home;
}

// Sends on a message for an element that is not here.
void ObjectSystem::Parts::forward(Envelope envelope, std::span<const std::byte> arguments) {
  const CollectionBase& collection = this->collection(envelope.collection);
  std::optional<int> to;
  if (!envelope.is_final) to = next_rank(collection, envelope.number, envelope.is_final);
  if (!to) return report_missing(collection, envelope.number);
  envelope.is_forwarded = true;
  std::ranges::copy(arguments,
                    put(envelope, exchange.append(*to, sizeof envelope + arguments.size())).begin());
}

void ObjectSystem::Parts::report_missing(const CollectionBase& collection, std::uint64_t number) {
  if (error) return;
  error = support::usage_error(fmt::format("phase {}: message to {}, which does not exist", recorder.phase(),
                                           name_of(collection, number)),
                               "create the element in an earlier run_until_quiet(), and do not destroy it "
                               "while messages are under way");
}

std::span<std::byte> ObjectSystem::room(CollectionBase& collection, std::uint64_t number,
                                        std::uint32_t handler, std::size_t bytes, ObjectId from) {
  Parts& parts = *parts_;
  Envelope envelope{.number = number,
                    .from = from,
                    .collection = collection.number_,
                    .function = handler,
                    .origin = rank()};
  std::optional<int> to;
  const auto known = parts.known_locations.find(object_number_of(collection.number_, number));
  if (known != parts.known_locations.end() && known->second != rank()) {
    to = known->second;
  } else {
    to = collection.home_of(number);
    if (*to == rank()) to = parts.next_rank(collection, number, envelope.is_final);
  }
  if (!to) {
    parts.report_missing(collection, number);
    parts.discarded.resize(bytes);
    return parts.discarded;
  }
  return put(envelope, parts.exchange.append(*to, sizeof envelope + bytes));
}

}  // namespace plimsoll::objects
