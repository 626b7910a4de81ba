#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Key of sums, such as a return address and a function.
struct SumKey {
  std::uint64_t place = 0;
  std::uint32_t kind = 0;
  friend bool operator==(const SumKey&, const SumKey&) = default;
};

/// Hash table with sums for each key. Finding a known key takes a few ns, and allocates nothing.
template <class Sums>
class SumTable {
 public:
  using Key = SumKey;

  SumTable() : entries_(16) {}

  /// Returns the sums of a key; new sums are value-initialised. May throw std::bad_alloc.
  Sums& operator[](const Key& key) {
    Entry* entry = &find(key);
    if (!entry->used) {
      if (2 * ++size_ > entries_.size()) {
        grow();
        entry = &find(key);
      }
      *entry = {key, true, {}};
    }
    return entry->sums;
  }

  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Entry& entry : entries_)
      if (entry.used) visit(entry.key, entry.sums);
  }

 private:
  struct Entry {
    Key key;
    bool used = false;
    Sums sums;
  };

  Entry& find(const Key& key) {
    const std::size_t mask = entries_.size() - 1;
    std::size_t k = support::mix_bits(key.place + key.kind * support::splitmix64_step) & mask;
    while (entries_[k].used && entries_[k].key != key) k = (k + 1) & mask;
    return entries_[k];
  }

  void grow() {
    std::vector<Entry> smaller(2 * entries_.size());
    smaller.swap(entries_);
    for (const Entry& entry : smaller)
      if (entry.used) find(entry.key) = entry;
  }

  std::vector<Entry> entries_;  ///< number is a power of two; at least half of them are unused
  std::size_t size_ = 0;
};

}  // namespace plimsoll::interpose
