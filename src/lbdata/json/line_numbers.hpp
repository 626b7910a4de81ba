#pragma once

#include <functional>
#include <vector>

#include <plimsoll/support/diagnostic.hpp>
#include <plimsoll/support/text_source.hpp>

namespace plimsoll::inline v0_1::lbdata {

/// Opens a document, as often as it is to be read.
using OpenSource = std::function<support::TextSource()>;

/// Fills in the lines of findings that have a byte offset into the text of a document, by counting its line
/// ends: a second pass over the text, which only files with findings pay for.
void add_line_numbers(const OpenSource& open, std::vector<Diagnostic*> findings);

}  // namespace plimsoll::lbdata
