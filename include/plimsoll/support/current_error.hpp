#pragma once

#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Returns the exception being handled as an Error. Other exceptions become an Error (system) with their
/// text. Call it only in a catch block.
Error current_error();

}  // namespace plimsoll::support
