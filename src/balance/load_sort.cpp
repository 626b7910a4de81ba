#include "balance/load_sort.hpp"

#include <array>
#include <bit>

namespace plimsoll::balance {

namespace {

struct Keyed {
  std::uint32_t key;
  std::uint32_t object;
};

constexpr unsigned digit_bits = 11;  // three digits make 32 bits, and a pass's counters fit the first cache
constexpr std::size_t radix = std::size_t{1} << digit_bits;

std::size_t digit(std::uint32_t key, unsigned pass) {
  return (key >> (pass * digit_bits)) & (radix - 1);
}

}  // namespace

std::vector<std::uint32_t> migratable_by_descending_load(const LDStats& stats) {
  std::vector<Keyed> items;
  items.reserve(stats.obj_data.size());
  std::array<std::array<std::uint32_t, radix>, 3> counts{};
  for (std::uint32_t object = 0; object < stats.obj_data.size(); ++object) {
    if (!stats.obj_data[object].migratable) continue;
    // The bits of floats that aren't negative are ordered as the floats; inverted they descend.
    const std::uint32_t key =
        ~std::bit_cast<std::uint32_t>(static_cast<float>(stats.obj_data[object].walltime));
    items.push_back({key, object});
    for (unsigned pass = 0; pass < counts.size(); ++pass) ++counts[pass][digit(key, pass)];
  }

  std::vector<Keyed> sorted(items.size());
  for (unsigned pass = 0; pass < counts.size(); ++pass) {
    std::uint32_t begin = 0;
    for (std::uint32_t& count : counts[pass]) {
      const std::uint32_t size = count;
      count = begin;
      begin += size;
    }
    for (const Keyed& item : items) sorted[counts[pass][digit(item.key, pass)]++] = item;
    items.swap(sorted);
  }

  std::vector<std::uint32_t> objects;
  objects.reserve(items.size());
  for (const Keyed& item : items) objects.push_back(item.object);
  return objects;
}

}  // namespace plimsoll::balance
