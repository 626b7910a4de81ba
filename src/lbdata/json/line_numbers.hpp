#pragma once

#include <functional>
#include <vector>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/text_source.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Function that opens a document. It may be called several times.
using OpenSource = std::function<support::TextSource()>;

/// Fills in the line numbers of findings whose byte offset in the document's text is known, by counting line
/// ends. This second reading of the text is only necessary for files with findings.
void add_line_numbers(const OpenSource& open, std::vector<Diagnostic*> findings);

}  // namespace plimsoll::lbdata
