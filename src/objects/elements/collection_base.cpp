#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include <plimsoll/objects/collection_base.hpp>
#include <plimsoll/objects/object_system.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/hash.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "objects/elements/element_key.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

CollectionBase::CollectionBase(ObjectSystem& system, Properties properties)
    : system_(system), properties_(std::move(properties)) {
  system_.add(*this);
}

std::string CollectionBase::description() const {
  const auto& [name, type, sizes, is_dense, map, migratable, measured, drop_undeliverable, is_group] =
      properties_;
  return fmt::format("{} \"{}\" of {} elements of type {}{}{}{}{}", is_group ? "group" : "elements", name,
                     fmt::join(sizes, " x "), support::demangled(type), is_dense ? "" : ", not dense",
                     migratable ? "" : ", not migratable", measured ? "" : ", not measured",
                     drop_undeliverable ? ", undeliverable messages dropped" : "");
}

CollectionBase::~CollectionBase() {
  system_.remove(*this);
}

std::uint64_t CollectionBase::count() const {
  return system_.count_of(*this);
}

int CollectionBase::home_of(std::uint64_t number) const {
  const int home = properties_.map(number, n_positions_, system_.rank_count());
  if (home < 0 || home >= system_.rank_count())
    throw support::usage_error(
        fmt::format("invalid rank {} from the map of the collection \"{}\"", home, name()),
        fmt::format("return 0 to {}", system_.rank_count() - 1));
  return home;
}

bool CollectionBase::is_home(std::uint64_t number) const {
  return home_of(number) == system_.rank();
}

std::uint64_t CollectionBase::hash_of_homes() const {
  constexpr std::uint64_t max_sample = 1 << 16;
  const bool has_all = properties_.is_dense || n_positions_ <= max_sample;
  const std::uint64_t count = has_all ? n_positions_ : max_sample;
  std::uint64_t hash = 0;
  for (std::uint64_t k = 0; k < count; ++k) {
    // Positions at equal distances might all have the same home.
    const std::uint64_t number = has_all ? k : support::mix_bits(k) % n_positions_;
    hash = support::mix_bits(hash + static_cast<std::uint64_t>(home_of(number)) + 1);
  }
  return hash;
}

void CollectionBase::homes_differ() const {
  throw support::usage_error(
      fmt::format("the map of the collection \"{}\" returns different ranks when different ranks call it",
                  name()),
      "use a map whose result depends only on its arguments");
}

std::uint64_t CollectionBase::count_of_positions() const {
  std::uint64_t count = 1;
  for (const std::int64_t size : properties_.sizes) {
    if (size <= 0 || static_cast<std::uint64_t>(size) > max_positions / count)
      throw support::usage_error(
          fmt::format("invalid bounds of a collection: {}", fmt::join(properties_.sizes, " x ")),
          fmt::format("use positive sizes whose product is at most 2^{}", position_bits));
    count *= static_cast<std::uint64_t>(size);
  }
  return count;
}

void CollectionBase::out_of_bounds(std::span<const std::int64_t> index,
                                   std::span<const std::int64_t> sizes) const {
  throw support::usage_error(fmt::format("invalid position ({}) in the collection \"{}\": its bounds are {}",
                                         fmt::join(index, ", "), name(), fmt::join(sizes, " x ")),
                             "use 0 to size - 1 in each dimension");
}

void CollectionBase::cannot_be_packed(const char* missing) const {
  throw support::usage_error(
      fmt::format("elements of the collection \"{}\" can neither migrate nor be saved: their class needs {}",
                  name(), missing),
      fmt::format("add {}, or make the collection not migratable and write no checkpoints", missing));
}

}  // namespace plimsoll::objects
