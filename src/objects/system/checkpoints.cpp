// Saves the elements of all collections, and takes them from a checkpoint. A record contains what the base
// class keeps of an element, what the recorder knows about it, and the state that its class serialises.
#include <fmt/format.h>

#include <utility>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/runtime/recorder_state.hpp>
#include <plimsoll/support/error.hpp>

#include "objects/checkpoint/checkpoint.hpp"
#include "objects/system/system_parts.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

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
  std::vector<std::byte> bytes = packer.take();
  const std::size_t state_begin = bytes.size();
  bytes.resize(state_begin + element.collection_->packed_bytes(element));
  element.collection_->pack(element, std::span(bytes).subspan(state_begin));
  return bytes;
}

std::unique_ptr<ElementBase> ObjectSystem::Parts::unpacked(CollectionBase& collection,
                                                           std::span<const std::byte> record) const {
  std::unique_ptr<ElementBase> element = collection.construct_default();
  mpi::Unpacker unpacker(record);
  const auto base = unpacker.value<std::uint8_t>();
  const auto knowledge = unpacker.array<std::byte>();
  set_base_state(*element, base);
  runtime::RecorderState(recorder).restore(element->handle_, knowledge);
  const auto state = record.subspan(sizeof base + sizeof knowledge.size() + knowledge.size());
  unpack_state(*element, state);
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
