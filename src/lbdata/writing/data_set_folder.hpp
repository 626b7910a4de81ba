#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include <plimsoll/lbdata/writer.hpp>
#include <plimsoll/support/output_file.hpp>
#include <plimsoll/support/progress.hpp>

namespace plimsoll::inline v0_1::lbdata {

/// Makes the files of all ranks by `write_rank(rank, file)`, which finishes the file and is called on several
/// threads, in a folder that afterwards holds no other files of that base. What is there is treated, and
/// errors are thrown, as documented at write().
void write_data_set(const std::string& folder, const std::string& base, std::size_t ranks,
                    const WriteOptions& options, unsigned threads, support::Progress& progress,
                    const std::function<void(std::size_t, support::OutputFile)>& write_rank);

}  // namespace plimsoll::lbdata
