#pragma once

#include <plimsoll/pelayout/pes_file.hpp>

#include "pelayout/pes/name_pattern.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Works like select_pes(), but searches for the file's expressions only once for several sizes.
PesEntry select_pes(const PesFile& file, const PesQuery& query, NamePatterns& patterns);

}  // namespace plimsoll::pelayout
