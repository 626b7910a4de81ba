#pragma once

#include <functional>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::report {

/// Writes a page that any browser opens without a network: the viewer (`viewer/`), with a document inside.
/// `json` is the document, as viewer/src/data/report.ts declares it. `sink` gets the page in pieces. The same
/// document always gives the same page. Cost: O(document); the memory is that of the compressed document.
void write_html_page(std::string_view json, const std::function<void(std::string_view)>& sink);

}  // namespace plimsoll::report
