#include <plimsoll/objects/collection_base.hpp>
#include <plimsoll/objects/element_base.hpp>
#include <plimsoll/objects/object_system.hpp>

#include "objects/elements/new_element.hpp"

namespace plimsoll::inline v0_1::objects {

// Elements are constructed by the thread of their system only.
const NewElement* NewElement::current_ = nullptr;

ElementBase::ElementBase() : ElementBase(NewElement::take()) {}

ElementBase::ElementBase(const NewElement& identity)
    : collection_(&identity.collection),
      system_(&collection_->system()),
      number_(identity.number),
      id_(identity.id),
      handle_(identity.handle),
      is_migratable_(collection_->properties_.migratable) {}

ElementBase::~ElementBase() {
  system_->leave_sync(*this);
}

void ElementBase::set_obj_time(double time_s) {
  system_->recorder().set_obj_time(handle_, time_s);
}

double ElementBase::get_obj_time() const {
  return system_->recorder().get_obj_time(handle_);
}

void ElementBase::set_value(runtime::UserValueKind kind, std::string_view name,
                            const runtime::UserValue& value) {
  system_->recorder().set_value(handle_, kind, name, value);
}

void ElementBase::set_migratable(bool migratable) {
  system_->set_migratable(*this, migratable);
}

void ElementBase::migrate_to(int rank) {
  system_->request_migration(*this, rank);
}

void ElementBase::destroy() {
  system_->destroy(*this);
}

void ElementBase::use_at_sync() {
  system_->use_at_sync(*this);
}

void ElementBase::at_sync() {
  system_->at_sync(*this);
}

}  // namespace plimsoll::objects
