#pragma once

#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::report {

/// Returns the page that shows reports, viewer/dist/report.html. The build makes this function of the file.
std::string_view viewer_page();

}  // namespace plimsoll::report
