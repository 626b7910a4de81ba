#include "objects/checkpoint/checkpoint_description.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

namespace {

/// Identifies the layout of the description and of the elements' states, which may change without the files
/// around them.
constexpr std::uint32_t layout = 2;
constexpr std::int64_t max_phase = std::int64_t{1} << 62;  // so that later phases do not overflow

Error unknown_layout(const std::string& folder) {
  return support::bad_input(
      "the checkpoint was written by another version of Plimsoll, or not by ObjectSystem", folder,
      "use the version of Plimsoll that wrote the checkpoint");
}

}  // namespace

std::vector<std::byte> to_bytes(const CheckpointDescription& description) {
  mpi::Packer packer;
  packer.value(layout);
  packer.value(description.phase);
  packer.value(description.collections.size());
  for (const SavedCollection& collection : description.collections) {
    packer.text(collection.name);
    packer.text(collection.type);
    packer.array(collection.sizes);
    packer.value(collection.n_elements);
  }
  return packer.take();
}

CheckpointDescription parse_description(std::span<const std::byte> bytes, const std::string& folder) try {
  mpi::Unpacker unpacker(bytes);
  if (unpacker.value<std::uint32_t>() != layout) throw unknown_layout(folder);
  CheckpointDescription description;
  description.phase = unpacker.value<std::int64_t>();
  for (auto count = unpacker.value<std::size_t>(); count > 0; --count) {
    SavedCollection& collection = description.collections.emplace_back();
    collection.name = unpacker.text();
    collection.type = unpacker.text();
    collection.sizes = unpacker.array<std::int64_t>();
    collection.n_elements = unpacker.value<std::uint64_t>();
  }
  if (description.phase < 0 || description.phase > max_phase || !unpacker.at_end())
    throw unknown_layout(folder);
  return description;
} catch (const Error&) {
  throw unknown_layout(folder);
}

std::string to_text(const SavedCollection& collection) {
  return fmt::format("\"{}\" ({}, {})", collection.name, support::demangled(collection.type),
                     fmt::join(collection.sizes, " x "));
}

}  // namespace plimsoll::objects
