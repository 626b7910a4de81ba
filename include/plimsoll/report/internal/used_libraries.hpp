#pragma once

#include <plimsoll/support/internal/used_library.hpp>

namespace plimsoll::PLIMSOLL_ABI::report {

/// Loads the web server of PageServer; the version is that of cpp-httplib.
support::UsedLibrary web_server_library();

}  // namespace plimsoll::report
