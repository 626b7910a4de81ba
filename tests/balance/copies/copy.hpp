#pragma once

#include <cstddef>

namespace plimsoll::testing {

/// Results from the copy of Plimsoll in one library.
struct CopyAnswer {
  double imbalance;      ///< after a strategy has run
  const void* function;  ///< address of one of Plimsoll's functions
  std::size_t real_bytes;
};

}  // namespace plimsoll::testing

extern "C" {
plimsoll::testing::CopyAnswer copy_double();
plimsoll::testing::CopyAnswer copy_float();
}
