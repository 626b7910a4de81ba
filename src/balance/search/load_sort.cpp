#include "balance/search/load_sort.hpp"

#include <array>
#include <bit>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

// Three digits of this size cover 32 bits, and the counters of a pass fit into the L1 cache.
constexpr unsigned digit_bits = 11;
constexpr std::size_t radix = std::size_t{1} << digit_bits;
// Number of bits for the coarse order: sign, exponent and three more.
constexpr unsigned coarse_bits = 12;
constexpr std::size_t n_coarse = std::size_t{1} << coarse_bits;

/// Returns a key for a non-negative load: a larger load has a smaller key. The key is the inverted bits of
/// the float, because the bits of non-negative floats sort like the floats.
std::uint32_t descending_key(double load) {
  return ~std::bit_cast<std::uint32_t>(static_cast<float>(load));
}

std::size_t digit(std::uint32_t key, unsigned pass) {
  return (key >> (pass * digit_bits)) & (radix - 1);
}

std::size_t coarse(double load) {
  return descending_key(load) >> (32 - coarse_bits);
}

/// Converts the size of each bucket to its start.
template <typename Counts>
void sizes_to_begins(Counts& counts) {
  std::uint32_t begin = 0;
  for (std::uint32_t& count : counts) {
    const std::uint32_t size = count;
    count = begin;
    begin += size;
  }
}

}  // namespace

void sort_by_descending_load(std::vector<LoadedObject>& objects) {
  std::array<std::array<std::uint32_t, radix>, 3> counts{};
  for (const LoadedObject& item : objects)
    for (unsigned pass = 0; pass < counts.size(); ++pass)
      ++counts[pass][digit(descending_key(item.load), pass)];

  std::vector<LoadedObject> sorted(objects.size());
  for (unsigned pass = 0; pass < counts.size(); ++pass) {
    sizes_to_begins(counts[pass]);
    for (const LoadedObject& item : objects)
      sorted[counts[pass][digit(descending_key(item.load), pass)]++] = item;
    objects.swap(sorted);
  }
}

std::vector<LoadedObject> migratable_by_descending_load(const LDStats& stats) {
  std::vector<LoadedObject> objects;
  objects.reserve(stats.obj_data.size());
  for (std::uint32_t object = 0; object < stats.obj_data.size(); ++object)
    if (stats.obj_data[object].migratable)
      objects.push_back({static_cast<double>(stats.obj_data[object].walltime), object});
  sort_by_descending_load(objects);
  return objects;
}

std::vector<LoadedObject> migratable_by_coarse_load(const LDStats& stats) {
  std::array<std::uint32_t, n_coarse> counts{};
  std::size_t n_migratable = 0;
  for (const LDObjData& data : stats.obj_data) {
    counts[coarse(static_cast<double>(data.walltime))] += data.migratable ? 1 : 0;
    n_migratable += data.migratable ? 1 : 0;
  }
  sizes_to_begins(counts);
  std::vector<LoadedObject> objects(n_migratable);
  for (std::uint32_t object = 0; object < stats.obj_data.size(); ++object) {
    const LDObjData& data = stats.obj_data[object];
    const double load = static_cast<double>(data.walltime);
    if (data.migratable) objects[counts[coarse(load)]++] = {load, object};
  }
  return objects;
}

}  // namespace plimsoll::balance
