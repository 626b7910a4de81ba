#include <fmt/format.h>

#include <optional>
#include <utility>

#include <plimsoll/objects/collection_base.hpp>
#include <plimsoll/objects/element.hpp>
#include <plimsoll/objects/object_system.hpp>
#include <plimsoll/support/error.hpp>

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

}  // namespace plimsoll::objects
