#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <plimsoll/collectives/internal/rank_calls.hpp>
#include <plimsoll/collectives/internal/sums_file.hpp>
#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

using collectives::SumKey;

/// Where a SumTable keeps its entries.
struct TablePlace {
  collectives::SumsFile* file = nullptr;  ///< null: only in memory
  collectives::rank_sums::Kind kind = collectives::rank_sums::Kind::unused;
  std::uint32_t number = 0;
};

/// Hash table with sums for each key. Finding a known key takes a few ns, and allocates nothing. If the table
/// is in a file that can no longer grow, it continues in memory.
template <class Sums>
class SumTable {
 public:
  using Key = SumKey;

  explicit SumTable(const TablePlace& place = {}) : place_(place) { extend(16); }
  /// Copies the sums to memory.
  SumTable(const SumTable& other) : SumTable() {
    other.for_each([&](const Key& key, const Sums& sums) { (*this)[key] = sums; });
  }
  SumTable(SumTable&&) noexcept = default;
  SumTable& operator=(SumTable&&) noexcept = default;

  /// Returns the sums of a key; new sums are value-initialised. May throw std::bad_alloc.
  Sums& operator[](const Key& key) {
    Entry* entry = &find(key);
    if (entry->check == 0) [[unlikely]]
      entry = &insert(key);
    return entry->sums;
  }

  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t k = 0; k <= mask_; ++k)
      if (entries_[k].check != 0) visit(Key{entries_[k].place, entries_[k].kind}, entries_[k].sums);
  }

 private:
  using Entry = collectives::rank_sums::Entry<Sums>;

  Entry& find(const Key& key) {
    std::size_t k = support::mix_bits(key.place + key.kind * support::splitmix64_step) & mask_;
    while (entries_[k].check != 0 && !(entries_[k].place == key.place && entries_[k].kind == key.kind))
      k = (k + 1) & mask_;
    return entries_[k];
  }

  Entry& insert(const Key& key) {
    if (2 * ++size_ > mask_ + 1) extend(2 * (mask_ + 1));
    if (place_.file && place_.kind == collectives::rank_sums::Kind::sites) place_.file->add_place(key.place);
    Entry& entry = find(key);
    entry.place = key.place;
    entry.kind = key.kind;
    entry.sums = {};  // an unused entry of a file contains zero bytes
    std::atomic_ref(entry.check)
        .store(collectives::rank_sums::check_of_key(key.place, key.kind), std::memory_order_release);
    return entry;
  }

  void extend(std::size_t capacity) {
    std::byte* const in_file = place_.file ? place_.file->allocate(capacity * sizeof(Entry)) : nullptr;
    std::vector<Entry> memory(in_file ? 0 : capacity);
    const Entry* const smaller = entries_;
    const std::size_t smaller_capacity = smaller ? mask_ + 1 : 0;
    entries_ = in_file ? reinterpret_cast<Entry*>(in_file) : memory.data();
    mask_ = capacity - 1;
    for (const Entry* entry = smaller; entry != smaller + smaller_capacity; ++entry)
      if (entry->check != 0) find({entry->place, entry->kind}) = *entry;
    if (in_file)
      place_.file->publish(in_file, place_.kind, place_.number);
    else
      place_.file = nullptr;
    memory_.swap(memory);
  }

  TablePlace place_;
  std::vector<Entry> memory_;  ///< empty if the entries are in the file
  Entry* entries_ = nullptr;   ///< number is a power of two; at least half of them are unused
  std::size_t mask_ = 0;       ///< number of entries - 1
  std::size_t size_ = 0;
};

}  // namespace plimsoll::interpose
