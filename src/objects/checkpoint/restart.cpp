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

namespace plimsoll::PLIMSOLL_ABI::objects {

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
  for (bool any_has_more = true; any_has_more;) {
    std::vector<mpi::Parcel> outgoing;
    mpi::agreed(ranks_, [&] {
      if (has_more) outgoing = read_some(rank_of);
    });
    has_more = !outgoing.empty();
    any_has_more = ranks_.max(has_more ? 1 : 0) > 0;
    const std::vector<mpi::Parcel> incoming = mpi::exchange(ranks_, std::move(outgoing));
    mpi::agreed(ranks_, [&] {
      for (const mpi::Parcel& parcel : incoming) {
        mpi::Unpacker message(parcel.bytes);
        while (!message.at_end()) {
          const auto number = message.value<std::uint64_t>();
          consume(number, message.array<std::byte>());
        }
      }
    });
  }
  has_failed_ = false;
  ++n_read_;
}

/// Reads elements until they are worth sending. Returns them by receiver; nothing after the last one.
std::vector<mpi::Parcel> Restart::read_some(const std::function<int(std::uint64_t number)>& rank_of) {
  const std::size_t enough = bytes_per_step / static_cast<std::size_t>(ranks_.size());
  std::map<int, mpi::Packer> messages;
  for (std::size_t bytes = 0; bytes < enough;) {
    const std::optional<CheckpointRecord> record = reader_.next(static_cast<std::uint32_t>(n_read_));
    if (!record) break;
    mpi::Packer& message = messages[rank_of(record->number)];
    message.value(record->number);
    message.array(record->bytes);
    bytes += sizeof record->number + record->bytes.size();
  }
  std::vector<mpi::Parcel> parcels;
  parcels.reserve(messages.size());
  for (auto& [to, message] : messages) parcels.push_back({to, message.take()});
  return parcels;
}

}  // namespace plimsoll::objects
