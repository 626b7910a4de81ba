// Checks of migrations, which the setting lb_check enables.

#include "objects/system/conservation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <utility>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/mpi/sparse_exchange.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/hash.hpp>

#include "objects/system/system_parts.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

using runtime::ObjectId;

std::uint64_t state_checksum(std::span<const std::byte> bytes) {
  std::array<std::uint64_t, 256> counts{};
  for (const std::byte byte : bytes) ++counts[static_cast<std::size_t>(byte)];
  std::uint64_t sum = 0;
  for (std::size_t value = 0; value < counts.size(); ++value)
    sum += counts[value] * support::mix_splitmix64(value + 1);
  return sum;
}

void Conservation::begin(const std::vector<ObjectId>& here) {
  surplus_.clear();
  for (const ObjectId element : here) ++surplus_[element];
}

void Conservation::end(const mpi::Communicator& ranks, const std::vector<ObjectId>& here,
                       const NameOf& name_of) {
  std::map<ObjectId, std::int64_t> of_all_ranks;
  const auto write = [&](mpi::Messages& messages) {
    for (const ObjectId element : here) --surplus_[element];
    for (const auto& [element, surplus] : std::exchange(surplus_, {})) {
      if (surplus == 0) continue;  // it has stayed here
      const std::uint64_t hash = support::mix_bits(static_cast<std::uint64_t>(element));
      messages[static_cast<int>(hash % static_cast<std::uint64_t>(ranks.size()))](element, surplus);
    }
  };
  mpi::exchange_messages(ranks, write, [&](int, mpi::Unpacker& message) {
    const auto element = message.value<ObjectId>();
    of_all_ranks[element] += message.value<std::int64_t>();
  });
  mpi::agreed(ranks, [&] {
    for (const auto& [element, surplus] : of_all_ranks) {
      if (surplus == 0) continue;
      throw Error(ErrorKind::system, {.what = fmt::format("{} is {} after migrations", name_of(element),
                                                          surplus > 0 ? "on no rank" : "on two ranks"),
                                      .suggestion = "report this as a bug in Plimsoll"});
    }
  });
}

std::vector<ObjectId> ObjectSystem::Parts::elements_here() const {
  std::vector<ObjectId> ids;
  for (const CollectionBase* const collection : collections) {
    if (collection == nullptr || collection->properties_.is_group) continue;
    collection->table_.for_each([&](const ElementBase& element) { ids.push_back(element.id_); });
  }
  return ids;
}

/// Number of bytes before the state of a packed element: what the base class keeps, and a checksum.
std::size_t ObjectSystem::Parts::header_bytes() const {
  return checks_migrations ? 1 + sizeof(std::uint64_t) : 1;
}

void ObjectSystem::Parts::unpack_state(ElementBase& element, std::span<const std::byte> state) {
  const std::size_t read = element.collection_->unpack(element, state);
  if (read != state.size())
    throw support::usage_error(
        fmt::format("serialize() reads {} of {} bytes", read, state.size()),
        "check that serialize(), or save() and load(), write and read the same members");
}

/// Packs an element that has arrived once more, and throws Error (usage) if its state is not that of the
/// packed element.
void ObjectSystem::Parts::expect_same_state(ElementBase& element, std::span<const std::byte> packed) const {
  std::uint64_t checksum = 0;
  std::memcpy(&checksum, &packed[1], sizeof checksum);
  std::vector<std::byte> again(element.collection_->packed_bytes(element));
  element.collection_->pack(element, again);
  if (state_checksum(again) == checksum) return;
  throw support::usage_error("the element has another state after its migration: its serialised data differ",
                             "check that serialize(), or save() and load(), write and read the same members");
}

}  // namespace plimsoll::objects
