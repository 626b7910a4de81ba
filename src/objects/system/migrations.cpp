// Migrates elements: at the end of a phase, or before any of them works in it. Checks migrations if the
// setting lb_check is on.

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

#include "objects/elements/element_identity.hpp"
#include "objects/system/system_parts.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

namespace {

/// Bits of ObjectSystem::Parts::base_state().
enum BaseState : std::uint8_t {
  uses_at_sync = 1,
  is_at_sync = 2,
  has_set_measured = 4,
  is_measured = 8,
  has_set_migratable = 16,
  is_migratable = 32,
  has_awaited_steps = 64
};

std::uint8_t bits_of(const std::optional<bool>& choice, BaseState is_set, BaseState is_true) {
  return static_cast<std::uint8_t>((choice ? is_set : 0) | (choice.value_or(false) ? is_true : 0));
}

std::optional<bool> choice_in(std::uint8_t state, BaseState is_set, BaseState is_true) {
  if ((state & is_set) == 0) return std::nullopt;
  return (state & is_true) != 0;
}

}  // namespace

void ElementBase::set_migratable(bool migratable) {
  ObjectSystem::Parts& parts = *system_->parts_;
  if (migratable && !collection_->properties_.migratable)
    throw support::usage_error(fmt::format("{} cannot become migratable, because its collection is not",
                                           parts.name_of(*collection_, number_)),
                               "create its collection with the option `migratable`");
  parts.choose_migratable(*this, migratable);
  if (!migratable) parts.requests.erase(id_);
}

void ElementBase::migrate_to(int rank) {
  system_->expect_rank(rank, "migrate_to()");
  if (!is_migratable())
    throw support::usage_error(
        fmt::format("{} is not migratable", system_->parts_->name_of(*collection_, number_)),
        "call set_migratable(true), or create its collection with the option `migratable`");
  system_->parts_->requests[id_] = rank;
}
/// Returns what the elements on this rank have requested, and forgets it.
std::vector<runtime::Move> ObjectSystem::Parts::take_requests() {
  std::vector<runtime::Move> moves;
  for (const auto& [id, to] : std::exchange(requests, {})) moves.push_back({id, ranks.rank(), to});
  return moves;
}

/// Migrates the elements that have requested it, before any element works in the phase. Collective.
void ObjectSystem::Parts::migrate_now() {
  runtime::MigrationPlan plan{.strategy = "program"};
  const auto write = [&](mpi::Messages& messages) {
    for (const runtime::Move& move : take_requests()) {
      if (move.to == move.from) continue;
      plan.exports.push_back(move);
      messages[move.to].value(move.object);
    }
  };
  mpi::exchange_messages(ranks, write, [&](int from, mpi::Unpacker& message) {
    plan.imports.push_back({message.value<ObjectId>(), from, ranks.rank()});
  });
  plan.moves = ranks.sum(static_cast<std::int64_t>(plan.exports.size()));
  migrate(plan);
}

void ObjectSystem::Parts::migrate(const runtime::MigrationPlan& plan) {
  if (plan.empty()) return;
  const Replaced own_call(is_in_own_call, true);
  try {
    if (checks_migrations) conservation.begin(elements_here());
    balancer.migrate(plan, transport());
  } catch (const Error&) {
    after_failure();
    throw;
  }
}

/// Called on all ranks after an error while elements migrate. Throws the error of an element, if any, whose
/// name the balancer does not know. Collective.
void ObjectSystem::Parts::after_failure() {
  declare_elements_away();  // some may have migrated
  mpi::agree(ranks, std::exchange(error, std::nullopt));
}

/// Ends the phase. Then elements migrate that have requested it, or that a strategy selects. Collective: all
/// ranks must be here.
void ObjectSystem::Parts::end_phase() {
  if (has_requests) balancer.request(take_requests());
  has_worked = false;
  const Replaced own_call(is_in_own_call, true);
  try {
    if (checks_migrations) conservation.begin(elements_here());
    last_summary = recorder.next_phase();
  } catch (const Error&) {
    after_failure();
    throw;
  }
}

runtime::ObjectTransport ObjectSystem::Parts::transport() {
  return {
      .size_bytes = [this](ObjectId id) { return migration_bytes(migrating(id)); },
      .pack = [this](ObjectId id,
                     std::span<std::byte> bytes) { return pack_to_migrate(migrating(id), bytes); },
      .unpack = [this](ObjectId id, std::span<const std::byte> bytes) { return unpack_migrated(id, bytes); },
      .remove = [this](ObjectId id) { release(*find(id)); },
      .predicted_bytes =
          [this](ObjectId id) {
            ElementBase& element = migrating(id);
            return call_hook(*element.collection_, element.number_, [&] {
              return static_cast<double>(header_bytes(element) + element.collection_->packed_bytes(element));
            });
          },
  };
}

std::size_t ObjectSystem::Parts::migration_bytes(ElementBase& element) {
  return call_hook(*element.collection_, element.number_, [&] {
    element.about_to_migrate();
    return header_bytes(element) + element.collection_->packed_bytes(element);
  });
}

std::size_t ObjectSystem::Parts::pack_to_migrate(ElementBase& element, std::span<std::byte> bytes) {
  bytes[0] = static_cast<std::byte>(base_state(element));
  if (element.steps_ != nullptr) {
    mpi::Packer steps;
    steps.array(packed_steps(element));
    std::ranges::copy(steps.bytes(), bytes.subspan(fixed_header_bytes()).begin());
  }
  const std::span<std::byte> state = bytes.subspan(header_bytes(element));
  call_hook(*element.collection_, element.number_, [&] { element.collection_->pack(element, state); });
  if (checks_migrations) {
    const std::uint64_t checksum = state_checksum(state);
    std::memcpy(&bytes[1], &checksum, sizeof checksum);
  }
  return bytes.size();
}

std::size_t ObjectSystem::Parts::unpack_migrated(ObjectId id, std::span<const std::byte> bytes) {
  const ElementKey key = element_key(runtime::object_number(id).value()).value();
  CollectionBase& receiver = collection(key.collection);
  call_hook(receiver, key.position, [&] {
    const Replaced arriving(is_arriving, true);
    const NewElement identity(receiver, key.position, id, recorder.find(id));
    std::unique_ptr<ElementBase> element = receiver.construct_default();
    element->last_count_ = 0;
    const auto base = static_cast<std::uint8_t>(bytes[0]);
    set_base_state(*element, base);
    mpi::Unpacker steps(bytes.subspan(fixed_header_bytes()));
    set_steps(*element, has_steps(base) ? steps.array<std::byte>() : std::vector<std::byte>());
    unpack_state(*element, bytes.subspan(header_bytes(*element)));
    if (checks_migrations) expect_same_state(*element, bytes);
    receiver.table_.add(std::move(element));
  });
  return bytes.size();
}

std::uint8_t ObjectSystem::Parts::base_state(const ElementBase& element) {
  return static_cast<std::uint8_t>((element.uses_at_sync_ ? uses_at_sync : 0) |
                                   (element.is_at_sync_ ? is_at_sync : 0) |
                                   bits_of(element.is_measured_, has_set_measured, is_measured) |
                                   bits_of(element.is_migratable_, has_set_migratable, is_migratable) |
                                   (element.steps_ != nullptr ? has_awaited_steps : 0));
}

bool ObjectSystem::Parts::has_steps(std::uint8_t base_state) {
  return (base_state & has_awaited_steps) != 0;
}

/// Replaces what the element's default constructor has set.
void ObjectSystem::Parts::set_base_state(ElementBase& element, std::uint8_t state) const {
  if ((state & uses_at_sync) != 0) element.use_at_sync();
  if ((state & is_at_sync) != 0) element.at_sync();
  choose_measured(element, choice_in(state, has_set_measured, is_measured));
  choose_migratable(element, choice_in(state, has_set_migratable, is_migratable));
}

void ObjectSystem::Parts::choose_measured(ElementBase& element, const std::optional<bool>& choice) const {
  element.is_measured_ = choice;
  recorder.set_measured(element.handle_, choice.value_or(element.collection_->properties_.measured));
}

void ObjectSystem::Parts::choose_migratable(ElementBase& element, const std::optional<bool>& choice) const {
  const bool was_migratable = element.is_migratable();
  element.is_migratable_ = choice;
  if (element.is_migratable() != was_migratable)
    recorder.set_migratable(element.handle_, element.is_migratable());
}

/// Called on all ranks after migrations. Collective.
void ObjectSystem::Parts::after_migration(const runtime::MigrationPlan& plan) {
  if (checks_migrations)
    conservation.end(ranks, elements_here(), [this](ObjectId id) { return name_of(id); });
  declare_elements_away();
  note_contributors();
  for (const runtime::Move& move : plan.imports)
    if (ElementBase* const element = find(move.object)) finish_migration(*element);
  if (error) throw Error(*std::exchange(error, std::nullopt));
}

/// Tells the directory which elements on this rank are away from their homes. Collective.
void ObjectSystem::Parts::declare_elements_away() {
  std::vector<ObjectId> away;
  mpi::agreed(ranks, [&] {
    for (CollectionBase* const collection : collections) {
      if (collection == nullptr) continue;
      collection->table_.for_each([&](const ElementBase& element) {
        if (!collection->is_home(element.number_)) away.push_back(element.id_);
      });
    }
  });
  directory.update(away);
  is_directory_outdated = false;
}

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

/// Number of bytes at the beginning of a packed element: flags of the base class, and a checksum.
std::size_t ObjectSystem::Parts::fixed_header_bytes() const {
  return checks_migrations ? 1 + sizeof(std::uint64_t) : 1;
}

/// Number of bytes before the state of a packed element: these, and its steps with their size.
std::size_t ObjectSystem::Parts::header_bytes(const ElementBase& element) const {
  if (element.steps_ == nullptr) return fixed_header_bytes();
  return fixed_header_bytes() + sizeof(std::size_t) + packed_steps(element).size();
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
