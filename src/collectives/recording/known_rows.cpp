#include "collectives/recording/known_rows.hpp"

#include <algorithm>
#include <new>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace plimsoll::collectives {

namespace {

constexpr std::size_t smallest_table = 64;

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
  const std::uint64_t send = XXH3_64bits_withSeed(row.send.data(), row.send.size(), seed);
  return XXH3_64bits_withSeed(row.recv.data(), row.recv.size(), send);
}

const KnownRow* KnownRows::find(const GivenRow& row, std::uint64_t hash) const {
  if (slots_.empty()) return nullptr;
  for (std::size_t k = hash;; ++k) {
    const Slot& slot = slots_[k % slots_.size()];
    if (!slot.row) return nullptr;
    if (slot.hash == hash && slot.row->equals(row)) return slot.row;
  }
}

const KnownRow& KnownRows::add(const GivenRow& row, std::uint64_t hash, std::uint32_t number) {
  if (!memory_) memory_ = std::make_unique_for_overwrite<std::byte[]>(memory_bytes_);
  if (rows_ == 0) free_ = memory_.get();
  if (2 * rows_ >= slots_.size()) grow();
  std::byte* const numbers = free_ + sizeof(KnownRow);
  const auto* const known = new (free_) KnownRow{.shape = row.shape, .number = number, .send = numbers};
  std::ranges::copy(row.recv, std::ranges::copy(row.send, numbers).out);
  free_ = numbers + (row.send.size() + row.recv.size() + 7) / 8 * 8;
  free_slot(hash) = {hash, known};
  ++rows_;
  used_bytes_ += cost(row);
  return *known;
}

void KnownRows::forget_all(std::uint64_t bytes_needed) {
  if (bytes_needed > memory_bytes_) {
    memory_bytes_ = bytes_needed;
    memory_.reset();
  }
  slots_ = {};
  rows_ = 0;
  used_bytes_ = 0;
  ++generation_;
}

KnownRows::Slot& KnownRows::free_slot(std::uint64_t hash) {
  std::size_t k = hash;
  while (slots_[k % slots_.size()].row) ++k;
  return slots_[k % slots_.size()];
}

void KnownRows::grow() {
  const std::vector<Slot> old =
      std::exchange(slots_, std::vector<Slot>(std::max(smallest_table, 2 * slots_.size())));
  for (const Slot& slot : old)
    if (slot.row) free_slot(slot.hash) = slot;
}

}  // namespace plimsoll::collectives
