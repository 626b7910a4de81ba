#include "objects/checkpoint/restart.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <plimsoll/mpi/communicator.hpp>
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
  packer(layout, description.phase, description.collections);
  return packer.take();
}

CheckpointDescription parse_description(std::span<const std::byte> bytes, const std::string& folder) try {
  mpi::Unpacker unpacker(bytes);
  if (unpacker.value<std::uint32_t>() != layout) throw unknown_layout(folder);
  CheckpointDescription description;
  unpacker(description.phase, description.collections);
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

namespace {

/// Limits what a rank receives in one step if all others send to it.
constexpr std::size_t bytes_per_step = std::size_t{16} << 20;

}  // namespace

Restart::Restart(const mpi::Communicator& ranks, const std::string& folder)
    : ranks_(ranks), folder_(folder), reader_(ranks, folder) {
  mpi::agreed(ranks, [&] { description_ = parse_description(reader_.description(), folder); });
}

void Restart::expect(const SavedCollection& collection) const {
  if (has_failed_)
    throw support::usage_error(fmt::format("the checkpoint in {} could not be restored", folder_),
                               "use a new LoadRecorder and a new ObjectSystem after an error");
  const SavedCollection& next = description_.collections[n_read_];
  if (collection.matches(next)) return;
  throw support::usage_error(
      fmt::format("the checkpoint in {} has the collection {}, but the program creates {}", folder_,
                  to_text(next), to_text(collection)),
      "create the collections of the checkpoint in the same order, with the same names, types "
      "and bounds");
}

void Restart::expect_complete() const {
  if (is_complete()) return;
  std::vector<std::string> missing;
  for (std::size_t k = n_read_; k < description_.collections.size(); ++k)
    missing.push_back(to_text(description_.collections[k]));
  throw support::usage_error(
      fmt::format("the checkpoint in {} has collections that the program has not created: {}", folder_,
                  fmt::join(missing, ", ")),
      "create all collections of the checkpoint before messages are delivered");
}

void Restart::read_next(
    const std::function<int(std::uint64_t number)>& rank_of,
    const std::function<void(std::uint64_t number, std::span<const std::byte> bytes)>& consume) {
  has_failed_ = true;
  bool has_more = true;
  const auto write = [&](mpi::Messages& messages) {
    if (has_more) has_more = read_some(rank_of, messages);
  };
  do {
    mpi::exchange_messages(ranks_, write, [&](int, mpi::Unpacker& message) {
      const auto number = message.value<std::uint64_t>();
      consume(number, message.array<std::byte>());
    });
  } while (ranks_.any(has_more));
  has_failed_ = false;
  ++n_read_;
}

/// Reads elements until they are worth sending. Returns whether it has read any.
bool Restart::read_some(const std::function<int(std::uint64_t number)>& rank_of, mpi::Messages& messages) {
  const std::size_t enough = bytes_per_step / static_cast<std::size_t>(ranks_.size());
  for (std::size_t bytes = 0; bytes < enough;) {
    const std::optional<CheckpointRecord> record = reader_.next(static_cast<std::uint32_t>(n_read_));
    if (!record) break;
    mpi::Packer& message = messages[rank_of(record->number)];
    message.value(record->number);
    message.array(record->bytes);
    bytes += sizeof record->number + record->bytes.size();
  }
  return !messages.empty();
}

}  // namespace plimsoll::objects
