// Calls of an element on the same rank, without a message.
#include <plimsoll/support/error.hpp>

#include "objects/system/system_parts.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

ElementBase& ObjectSystem::invoked(const CollectionBase& collection, std::uint64_t number,
                                   std::uint64_t bytes) {
  ElementBase* const element = collection.table().find(number);
  if (element == nullptr)
    throw support::usage_error(
        parts_->name_of(collection, number) + " is invoked on a rank that does not have it",
        "send it a message, or check with find() that it is on this rank");
  const ObjectId rank_object = recorder().id(recorder().rank_object());
  recorder().record_edge(lbdata::CommCategory::LocalInvoke,
                         sender() == ObjectId::none ? rank_object : sender(), element->id_, bytes);
  return *element;
}

ObjectSystem::Invocation::Invocation(ObjectSystem& system, ElementBase& element)
    : parts_(*system.parts_), element_(element), outer_(parts_.begin_call(element)) {
  parts_.has_worked = true;
  parts_.recorder.begin(element_.handle_);
}

ObjectSystem::Invocation::~Invocation() {
  parts_.recorder.end(element_.handle_);
  parts_.end_call(element_, outer_);
}

}  // namespace plimsoll::objects
