#pragma once

#include <cstddef>

namespace plimsoll::testing {

/// What a library says of its own copy of Plimsoll.
struct CopyAnswer {
  double imbalance;      ///< that a strategy reaches
  const void* function;  ///< where one of Plimsoll's functions is
  std::size_t real_bytes;
};

}  // namespace plimsoll::testing

extern "C" {
plimsoll::testing::CopyAnswer copy_double();
plimsoll::testing::CopyAnswer copy_float();
}
