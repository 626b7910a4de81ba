#pragma once

#include <string>

#include <plimsoll/support/descriptor.hpp>

namespace plimsoll::support {

struct Pipe {
  Descriptor read_end, write_end;
};

/// A pipe whose reading end does not block. `program` is for messages. Throws Error (system).
Pipe make_pipe(const std::string& program);

/// A file in memory: whoever reads it, or does not, nobody waits for them. Throws Error (system).
Descriptor input_file(const std::string& input, const std::string& program);

}  // namespace plimsoll::support
