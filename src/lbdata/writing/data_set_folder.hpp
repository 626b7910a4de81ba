#pragma once

#include <plimsoll/lbdata/writer.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

inline support::OutputOptions output_options(const WriteOptions& options) {
  support::OutputOptions output;
  output.overwrite = options.overwrite;
  if (options.compress) output.brotli = {.quality = options.quality, .window = options.window};
  output.rescue = "use 'plimsoll repair' to save its phases";
  return output;
}

/// Writes the files of all ranks by calling `write_rank(rank, file)` on several threads; the callback must
/// finish the file. Afterwards the directory contains no other files of that base. Existing files and errors
/// are handled as documented at write().
void write_data_set(const std::string& folder, const std::string& base, std::size_t ranks,
                    const WriteOptions& options, unsigned threads, support::Progress& progress,
                    const std::function<void(std::size_t, support::OutputFile)>& write_rank);

}  // namespace plimsoll::lbdata
