#pragma once

#include <functional>
#include <vector>

#include "lbdata/record_checker.hpp"

namespace plimsoll::lbdata {

/// The checks across the files of a data set, by position in the set: communications whose ends are in no
/// file, migratable tasks that are on two ranks. O(tasks + open references), one phase in memory at a time.
/// `add(file, finding)` receives what is wrong.
void check_across_files(const CheckSet& checks, const std::vector<FileReferences>& files,
                        const std::function<void(std::size_t, Diagnostic&&)>& add);

}  // namespace plimsoll::lbdata
