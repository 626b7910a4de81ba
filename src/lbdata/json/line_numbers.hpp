#pragma once

#include <functional>
#include <vector>

#include <plimsoll/support/diagnostic.hpp>
#include <plimsoll/support/text_source.hpp>

namespace plimsoll::inline v0_1::lbdata {

/// Opens a document, any number of times.
using OpenSource = std::function<support::TextSource()>;

/// Fills in the lines of findings that have a byte offset into the text of a document, by counting line ends.
/// This second pass over the text is only necessary for files with findings.
void add_line_numbers(const OpenSource& open, std::vector<Diagnostic*> findings);

}  // namespace plimsoll::lbdata
