#pragma once

#include <string>

#include <plimsoll/support/files.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

/// Creates a pipe from a program to this process; reading from it does not block. `program` is used in
/// messages. Throws Error (system).
Pipe make_pipe(const std::string& program);

/// Creates a file in memory with the input of a program. Unlike a pipe, it cannot block this process if the
/// program does not read it. Throws Error (system).
Descriptor input_file(const std::string& input, const std::string& program);

}  // namespace plimsoll::support
