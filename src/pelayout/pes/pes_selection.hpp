#pragma once

#include <plimsoll/pelayout/pes_file.hpp>

#include "pelayout/pes/name_pattern.hpp"

namespace plimsoll::inline v0_1::pelayout {

/// select_pes() of several sizes, which searches for the file's expressions once for all of them.
PesEntry select_pes(const PesFile& file, const PesQuery& query, NamePatterns& patterns);

}  // namespace plimsoll::pelayout
