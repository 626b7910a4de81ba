#pragma once

#include <string>

#include <plimsoll/support/descriptor.hpp>

namespace plimsoll::inline v0_1::support {

/// Opens a file for reading. Throws Error: system if it cannot be opened; bad_input if it is a directory, a
/// pipe, a device or a socket, on which it does not block.
Descriptor open_input_file(const std::string& path);

}  // namespace plimsoll::support
