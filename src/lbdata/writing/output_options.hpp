#pragma once

#include <plimsoll/lbdata/writer.hpp>
#include <plimsoll/support/output_file.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Returns the options for writing the file itself.
inline support::OutputOptions output_options(const WriteOptions& options) {
  support::OutputOptions output;
  output.overwrite = options.overwrite;
  if (options.compress) output.brotli = {.quality = options.quality, .window = options.window};
  output.rescue = "use 'plimsoll repair' to save its phases";
  return output;
}

}  // namespace plimsoll::lbdata
