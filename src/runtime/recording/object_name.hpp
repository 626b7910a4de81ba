#pragma once

#include <string>

#include <plimsoll/runtime/object.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Names an object in messages: "object 5 of home rank 0 (ID 1572867)", or "object 7" if its ID is not the ID
/// of a collection element, e.g. because the program uses plain numbers.
std::string name_of(ObjectId id);

}  // namespace plimsoll::runtime
