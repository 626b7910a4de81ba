#pragma once

#include <string>

#include <plimsoll/support/descriptor.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Opens a file for reading. Throws Error: system if the file cannot be opened; bad_input for a directory, a
/// pipe, a device or a socket. Opening these never blocks.
Descriptor open_input_file(const std::string& path);

}  // namespace plimsoll::support
