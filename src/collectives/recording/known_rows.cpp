#include "collectives/recording/known_rows.hpp"

#include <algorithm>
#include <new>

#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

std::span<const std::byte> bytes_of(const IntegerSpan& numbers) {
  return {static_cast<const std::byte*>(numbers.data()), numbers.bytes()};
}

}  // namespace

GivenRow::GivenRow(rank_log::Subject subject, const Row& row)
    : shape{.send_type_size = row.send_type_size,
            .recv_type_size = row.recv_type_size,
            .send_count = row.send.size(),
            .recv_count = row.recv.size(),
            .subject = subject,
            .wide = row.send.wide() || row.recv.wide(),
            .in_place = row.in_place},
      send(bytes_of(row.send)),
      recv(bytes_of(row.recv)) {}

std::uint64_t KnownRows::hash(const GivenRow& row) {
  const std::uint64_t seed = row.shape.send_type_size + 31 * row.shape.recv_type_size +
                             961 * static_cast<std::uint64_t>(row.shape.subject);
  return support::hash_bytes(row.recv, support::hash_bytes(row.send, seed));
}

const KnownRow* KnownRows::find(const GivenRow& row, std::uint64_t hash) const {
  const std::uint32_t found = positions_.find(hash, [&](std::uint32_t position) {
    return entries_[position].hash == hash && entries_[position].row->equals(row);
  });
  return found == support::PositionHash::none ? nullptr : entries_[found].row;
}

const KnownRow& KnownRows::add(const GivenRow& row, std::uint64_t hash, std::uint32_t number) {
  if (!memory_) memory_ = std::make_unique_for_overwrite<std::byte[]>(memory_bytes_);
  if (entries_.empty()) free_ = memory_.get();
  std::byte* const numbers = free_ + sizeof(KnownRow);
  const auto* const known = new (free_) KnownRow{.shape = row.shape, .number = number, .send = numbers};
  std::ranges::copy(row.recv, std::ranges::copy(row.send, numbers).out);
  free_ = numbers + (row.send.size() + row.recv.size() + 7) / 8 * 8;
  positions_.insert(hash, static_cast<std::uint32_t>(entries_.size()),
                    [this](std::uint32_t position) { return entries_[position].hash; });
  entries_.push_back({hash, known});
  used_bytes_ += cost(row);
  return *known;
}

void KnownRows::forget_all(std::uint64_t bytes_needed) {
  if (bytes_needed > memory_bytes_) {
    memory_bytes_ = bytes_needed;
    memory_.reset();
  }
  entries_ = {};
  positions_.clear();
  used_bytes_ = 0;
  ++generation_;
}

}  // namespace plimsoll::collectives
