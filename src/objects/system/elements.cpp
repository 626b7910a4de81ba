// Creates, destroys and finds elements.
//
// Saves the elements of all collections, and takes them from a checkpoint. A record contains what the base
// class keeps of an element, what the recorder knows about it, and the state that its class serialises.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <utility>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/runtime/recorder_state.hpp>
#include <plimsoll/support/error.hpp>

#include "objects/checkpoint/checkpoint.hpp"
#include "objects/elements/element_identity.hpp"
#include "objects/system/system_parts.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

std::string ObjectSystem::Parts::name_of(const CollectionBase& collection, std::uint64_t number) const {
  return fmt::format("element ({}) of \"{}\"", fmt::join(collection.index_of(number), ", "),
                     collection.name());
}

std::string ObjectSystem::Parts::name_of(ObjectId id) const {
  const ElementKey key = element_key(runtime::object_number(id).value()).value();
  return name_of(collection(key.collection), key.position);
}

ObjectId ObjectSystem::Parts::id_of(const CollectionBase& collection, std::uint64_t number) {
  return runtime::object_id(collection.home_of(number), object_number_of(collection.number_, number),
                            collection.properties_.migratable);
}

ElementBase* ObjectSystem::Parts::find(ObjectId id) const {
  const std::optional<std::uint64_t> number = runtime::object_number(id);
  if (!number) return find_member(id);
  const std::optional<ElementKey> key = element_key(*number);
  return key ? find(key->collection, key->position) : nullptr;
}

/// Returns the member of an object group on this rank that has this ID. Programs have few groups.
ElementBase* ObjectSystem::Parts::find_member(ObjectId id) const {
  for (const CollectionBase* const group : collections) {
    if (group == nullptr || !group->properties_.is_group) continue;
    ElementBase* const member = group->table_.find(static_cast<std::uint64_t>(ranks.rank()));
    if (member != nullptr && member->id_ == id) return member;
  }
  return nullptr;
}

/// Returns an element that is to migrate.
ElementBase& ObjectSystem::Parts::migrating(ObjectId id) const {
  if (ElementBase* const element = find(id)) return *element;
  throw support::usage_error(
      fmt::format("object {} of the program cannot migrate, because it is not an element of a collection",
                  runtime::object_number(id).value_or(0)),
      "register it with `.migratable = false`");
}

ElementBase& ObjectSystem::Parts::create(CollectionBase& collection, std::uint64_t number,
                                         const std::function<std::unique_ptr<ElementBase>()>& construct) {
  if (collection.table_.find(number) != nullptr)
    throw support::usage_error("the element exists already", "create each element once");
  if (!collection.is_home(number)) collection.homes_differ();
  const std::uint64_t object_number = object_number_of(collection.number_, number);
  if (!collection.properties_.is_group && recorder.find(id_of(collection, number)))
    throw support::usage_error(
        fmt::format("the program has registered an object with the number of an element, {}", object_number),
        fmt::format("use object numbers below 2^{}", position_bits));
  const ObjectHandle object = collection.properties_.is_group
                                  ? recorder.register_object_group()
                                  : recorder.register_object({.collection = collection.collection_id_,
                                                              .index = collection.index_of(number),
                                                              .migratable = collection.properties_.migratable,
                                                              .home = ranks.rank(),
                                                              .number = object_number,
                                                              .measured = collection.properties_.measured});
  recorder.remove_all_values(object);  // of an element that was destroyed in this phase
  try {
    const NewElement identity(collection, number, recorder.id(object), object);
    is_count_outdated = true;
    const Replaced constructing(is_constructing, true);
    ElementBase& element = collection.table_.add(construct());
    if (checks_migrations) conservation.created(element.id_);
    return element;
  } catch (...) {
    recorder.remove_object(object);
    throw;
  }
}

double ObjectSystem::Parts::user_load_s(ElementBase& element) {
  return call_hook(*element.collection_, element.number_, [&] {
    const double load_s = element.user_set_lb_load();
    if (load_s >= 0 && std::isfinite(load_s)) return load_s;
    throw support::usage_error(fmt::format("user_set_lb_load() returned an invalid time {} s", load_s),
                               "return 0 or more");
  });
}

void ObjectSystem::Parts::erase(ElementBase& element) {
  if (!element.collection_->is_home(element.number_)) is_directory_outdated = true;
  is_count_outdated = true;
  if (checks_migrations) conservation.destroyed(element.id_);
  recorder.remove_object(element.handle_);
  std::vector<EarlyMessage> early = take_early(element);
  for (EarlyMessage& message : early) {
    message.envelope.collection = element.collection_->number_;
    message.envelope.number = element.number_;
  }
  release(element);
  for (const EarlyMessage& message : early) handle_missing(message.envelope);
}

std::unique_ptr<ElementBase> ObjectSystem::Parts::release(ElementBase& element) {
  return element.collection_->table_.remove(element.number_);
}

/// Called when an element ends, also if its constructor throws: another one may be created in its place.
ElementBase::~ElementBase() {
  system_->parts_->requests.erase(id_);
  system_->parts_->n_at_sync_users -= uses_at_sync_ ? 1 : 0;
  system_->parts_->n_at_sync -= is_at_sync_ ? 1 : 0;
  system_->parts_->n_early -= steps_ ? static_cast<std::int64_t>(steps_->early_count()) : 0;
}

void ElementBase::destroy() {
  ObjectSystem::Parts& parts = *system_->parts_;
  if (collection_->properties_.is_group)
    throw support::usage_error("a member of an object group cannot be destroyed", "use a collection");
  if (parts.is_in_hook || collection_->table_.find(number_) != this)
    throw support::usage_error(
        fmt::format("{} cannot be destroyed now", parts.name_of(*collection_, number_)),
        "destroy it after its constructor, and not in about_to_migrate(), serialize() or user_set_lb_load()");
  if (n_running_ > 0)
    is_destroyed_ = true;
  else
    parts.erase(*this);
}
void ObjectSystem::create_all(CollectionBase& collection,
                              const std::function<std::unique_ptr<ElementBase>()>& construct) {
  parts_->contributors[collection.number_].n_all = collection.n_positions_;  // for the constructors
  try {
    mpi::agreed(parts_->ranks, [&] {
      for (std::uint64_t number = 0; number < collection.n_positions_; ++number)
        if (collection.is_home(number)) parts_->create(collection, number, construct);
    });
  } catch (const Error&) {
    parts_->failed_collections.insert(collection.number_);
    throw;
  }
  parts_->count_elements();
}

namespace {

/// Throws the exception that is being handled as an Error that names an element and a checkpoint.
[[noreturn]] void throw_error_of(const std::string& element, const std::string& folder) {
  const Error error = support::current_error();
  Diagnostic diagnostic = error.diagnostic();
  diagnostic.what = fmt::format("{}: {}", element, diagnostic.what);
  diagnostic.file = folder;
  throw Error(error.kind(), std::move(diagnostic));
}

}  // namespace

void ObjectSystem::checkpoint(const std::string& folder) {
  parts_->run_until_quiet(fmt::format("checkpoint(\"{}\")", folder));
  if (folder.empty())  // on all ranks: run_until_quiet() has compared their arguments
    throw support::usage_error("checkpoint() without a directory", "specify a directory");
  try {
    parts_->save(folder);
  } catch (const Error& error) {
    Diagnostic diagnostic = error.diagnostic();
    diagnostic.what = fmt::format("phase {}: {}", parts_->recorder.phase(), diagnostic.what);
    throw Error(error.kind(), std::move(diagnostic));
  }
}

/// Returns the collections that checkpoints contain, in the order of creation.
std::vector<CollectionBase*> ObjectSystem::Parts::saved_collections() const {
  std::vector<CollectionBase*> saved;
  for (CollectionBase* const collection : collections)
    if (collection != nullptr && !collection->properties_.is_group) saved.push_back(collection);
  return saved;
}

SavedCollection ObjectSystem::Parts::describe(const CollectionBase& collection) {
  const CollectionBase::Properties& properties = collection.properties_;
  return {.name = properties.name,
          .type = properties.type,
          .sizes = properties.sizes,
          .n_elements = collection.count()};
}

void ObjectSystem::Parts::save(const std::string& folder) {
  const std::vector<CollectionBase*> saved = saved_collections();
  CheckpointDescription description{.phase = recorder.phase(), .collections = {}};
  for (const CollectionBase* const collection : saved)
    description.collections.push_back(describe(*collection));
  CheckpointWriter writer(ranks, folder, to_bytes(description));
  mpi::agreed(ranks, [&] {
    for (std::uint32_t k = 0; k < saved.size(); ++k) {
      saved[k]->table_.for_each([&](ElementBase& element) {
        try {
          writer.add({.collection = k, .number = element.number_, .bytes = packed(element)});
        } catch (...) {
          throw_error_of(name_of(*saved[k], element.number_), folder);
        }
      });
    }
  });
  writer.finish();
}

std::vector<std::byte> ObjectSystem::Parts::packed(ElementBase& element) {
  const Replaced in_hook(is_in_hook, true);
  mpi::Packer packer;
  packer.value(base_state(element));
  packer.array(runtime::RecorderState(recorder).packed(element.handle_));
  if (element.steps_ != nullptr) packer.array(packed_steps(element));
  std::vector<std::byte> bytes = packer.take();
  const std::size_t state_begin = bytes.size();
  bytes.resize(state_begin + element.collection_->packed_bytes(element));
  element.collection_->pack(element, std::span(bytes).subspan(state_begin));
  return bytes;
}

std::unique_ptr<ElementBase> ObjectSystem::Parts::unpacked(CollectionBase& collection,
                                                           std::span<const std::byte> record) {
  const Replaced arriving(is_arriving, true);
  std::unique_ptr<ElementBase> element = collection.construct_default();
  mpi::Unpacker unpacker(record);
  const auto base = unpacker.value<std::uint8_t>();
  const auto knowledge = unpacker.array<std::byte>();
  set_base_state(*element, base);
  runtime::RecorderState(recorder).restore(element->handle_, knowledge);
  std::size_t state_begin = sizeof base + sizeof knowledge.size() + knowledge.size();
  const auto steps = has_steps(base) ? unpacker.array<std::byte>() : std::vector<std::byte>();
  if (has_steps(base)) state_begin += sizeof steps.size() + steps.size();
  set_steps(*element, steps);
  if (element->steps_ != nullptr) element->steps_->forget_senders(ranks.rank());
  unpack_state(*element, record.subspan(state_begin));
  return element;
}

void ObjectSystem::Parts::restore(CollectionBase& collection) {
  mpi::agreed(ranks, [&] { restart->expect(describe(collection)); });
  contributors[collection.number_].n_all = restart->next_count();  // for the constructors
  restart->read_next(
      [&](std::uint64_t number) {
        if (number >= collection.n_positions_)
          throw support::bad_input(
              fmt::format("the collection \"{}\" has an element {} out of bounds", collection.name(), number),
              restart->folder(), "use an undamaged copy, or an earlier checkpoint");
        return collection.home_of(number);
      },
      [&](std::uint64_t number, std::span<const std::byte> record) {
        try {
          create(collection, number, [&] { return unpacked(collection, record); });
        } catch (...) {
          throw_error_of(name_of(collection, number), restart->folder());
        }
      });
  count_elements();
  if (restart->is_complete()) place_restored();
}

/// Lets the balancer place the elements, which are at their homes. Collective.
void ObjectSystem::Parts::place_restored() {
  const bool has_loads = restart->phase() > 0;
  restart.reset();
  const Replaced own_call(is_in_own_call, true);
  if (has_loads) migrate(balancer.plan_after_restart());
}

bool ObjectSystem::restore(CollectionBase& collection) {
  if (!parts_->restart || parts_->restart->is_complete()) return false;
  parts_->restore(collection);
  return true;
}

bool ObjectSystem::is_restored() const {
  return parts_->is_restored;
}

}  // namespace plimsoll::objects
