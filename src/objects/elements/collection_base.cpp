#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <plimsoll/objects/collection_base.hpp>
#include <plimsoll/objects/element.hpp>
#include <plimsoll/objects/index.hpp>
#include <plimsoll/objects/object_system.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/hash.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "objects/elements/awaited_steps.hpp"
#include "objects/elements/element_identity.hpp"
#include "objects/system/system_parts.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

using runtime::UserValueKind;

namespace {

std::optional<runtime::UserValue> find_value(const runtime::LoadRecorder& recorder, ObjectHandle element,
                                             std::string_view name) {
  auto value = recorder.value(element, UserValueKind::user_defined, name);
  return value ? value : recorder.value(element, UserValueKind::attributes, name);
}

}  // namespace

// Elements are constructed by the thread of their system only.
const NewElement* NewElement::current = nullptr;

ElementBase::ElementBase() : ElementBase(NewElement::take()) {}

ElementBase::ElementBase(const NewElement& identity)
    : collection_(&identity.collection),
      system_(&collection_->system()),
      number_(identity.number),
      id_(identity.id),
      handle_(identity.handle),
      last_count_(system_->parts_->n_counts) {}

void ElementBase::set_obj_time(double time_s) {
  system_->parts_->has_worked = true;
  system_->recorder().set_obj_time(handle_, time_s);
}

double ElementBase::get_obj_time() const {
  return system_->recorder().get_obj_time(handle_);
}

void ElementBase::uses_auto_measure(bool is_measured) {
  system_->parts_->choose_measured(*this, is_measured);
}

void ElementBase::val_insert(std::string_view name, const runtime::UserValue& value, UserValueKind kind) {
  if (!val_exists(name)) system_->recorder().set_value(handle_, kind, name, value);
}

bool ElementBase::val_exists(std::string_view name) const {
  return find_value(system_->recorder(), handle_, name).has_value();
}

void ElementBase::val_remove(std::string_view name) {
  for (const UserValueKind kind : {UserValueKind::user_defined, UserValueKind::attributes})
    system_->recorder().remove_value(handle_, kind, name);
}

runtime::UserValue ElementBase::user_value(std::string_view name) const {
  if (auto value = find_value(system_->recorder(), handle_, name)) return *std::move(value);
  throw support::usage_error(fmt::format("an element has no value \"{}\"", name),
                             "call val_insert() first, or val_exists()");
}

void ElementBase::does_not_fit(std::string_view name, std::int64_t value) {
  throw support::usage_error(
      fmt::format("the value \"{}\" is {}, which does not fit into the type that val_get() requests", name,
                  value),
      "use std::int64_t");
}

void ElementBase::wrong_type(std::string_view name) {
  throw support::usage_error(fmt::format("the value \"{}\" has another type than val_get() requests", name),
                             "use the type of val_insert(): an integer type, double or std::string");
}

bool ElementBase::is_migratable() const {
  return collection_->properties_.migratable && is_migratable_.value_or(true);
}

void ElementBase::set_position(std::span<const double> position) {
  system_->recorder().set_position(handle_, position);
}

void ElementBase::set_features(std::span<const double> features) {
  system_->recorder().set_features(handle_, features);
}

int block_map(std::uint64_t number, std::uint64_t count, int ranks) {
  // Numbers have 36 bits and ranks 21, so that the product fits.
  return static_cast<int>(number * static_cast<std::uint64_t>(ranks) / count);
}

int round_robin_map(std::uint64_t number, std::uint64_t, int ranks) {
  return static_cast<int>(number % static_cast<std::uint64_t>(ranks));
}

int hash_map(std::uint64_t number, std::uint64_t, int ranks) {
  return static_cast<int>(support::mix_bits(number) % static_cast<std::uint64_t>(ranks));
}

std::uint64_t hash_of_member(std::uint32_t collection, std::uint64_t number) {
  return support::mix_bits(object_number_of(collection, number));
}

SectionId section_id(std::uint32_t collection, std::vector<std::uint64_t>& members) {
  std::ranges::sort(members);
  members.erase(std::unique(members.begin(), members.end()), members.end());
  std::uint64_t hash = 0;
  for (const std::uint64_t number : members) hash += hash_of_member(collection, number);
  return {.hash = std::max<std::uint64_t>(hash, 1), .count = members.size()};
}

ElementBase& ElementTable::add(std::unique_ptr<ElementBase> element) {
  if (rows_.size() >= std::numeric_limits<std::uint32_t>::max() - 1)
    throw support::usage_error("too many elements of one collection on one rank", "use more ranks");
  rows_.push_back(std::move(element));
  try {
    add_to_index(static_cast<std::uint32_t>(rows_.size() - 1));
  } catch (...) {
    rows_.pop_back();
    throw;
  }
  return *rows_.back();
}

std::unique_ptr<ElementBase> ElementTable::remove(std::uint64_t number) {
  const std::uint32_t row = row_of(number);
  if (row == Index::none) return nullptr;
  ++n_removed_;
  return std::move(rows_[row]);
}

void ElementTable::compact() {
  if (2 * n_removed_ <= rows_.size()) return;
  std::erase(rows_, nullptr);
  rows_.shrink_to_fit();
  n_removed_ = 0;
  index_.clear();
  for (std::uint32_t row = 0; row < rows_.size(); ++row) add_to_index(row);
}

void ElementTable::add_to_index(std::uint32_t row) {
  index_.insert(support::mix_bits(rows_[row]->number_), row);
}

std::string CollectionBase::description() const {
  const auto& [name, type, sizes, is_dense, map, migratable, measured, drop_undeliverable, max_early_bytes,
               is_group] = properties_;
  return fmt::format("{} \"{}\" of {} elements of type {}{}{}{}{}", is_group ? "group" : "elements", name,
                     fmt::join(sizes, " x "), support::demangled(type), is_dense ? "" : ", not dense",
                     migratable ? "" : ", not migratable", measured ? "" : ", not measured",
                     drop_undeliverable ? ", undeliverable messages dropped" : "");
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

void CollectionBase::out_of_bounds(std::span<const std::int64_t> index) const {
  throw support::usage_error(fmt::format("invalid position ({}) in the collection \"{}\": its bounds are {}",
                                         fmt::join(index, ", "), name(), fmt::join(properties_.sizes, " x ")),
                             "use 0 to size - 1 in each dimension");
}

void CollectionBase::cannot_be_packed(const char* missing) const {
  throw support::usage_error(
      fmt::format("elements of the collection \"{}\" can neither migrate nor be saved: their class needs {}",
                  name(), missing),
      fmt::format("add {}, or make the collection not migratable and write no checkpoints", missing));
}

}  // namespace plimsoll::objects
