#pragma once

#include <plimsoll/support/error.hpp>

namespace plimsoll::inline v0_1::support {

/// The exception being handled, as an Error: an Error itself, or one (system) with its text. Call it in a
/// catch block only.
Error current_error();

}  // namespace plimsoll::support
