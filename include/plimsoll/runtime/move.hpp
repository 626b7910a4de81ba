#pragma once

#include <plimsoll/runtime/object.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Migration of one object.
struct Move {
  ObjectId object = ObjectId::none;
  int from = 0;      ///< rank that has the object
  int to = 0;        ///< rank that receives it; may be the same rank
  double bytes = 0;  ///< size of the packed object; 0 if unknown

  friend bool operator==(const Move&, const Move&) = default;
};

}  // namespace plimsoll::runtime

namespace plimsoll::PLIMSOLL_ABI {
using runtime::Move;
}  // namespace plimsoll
