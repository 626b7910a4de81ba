#pragma once

#include <string>
#include <vector>

#include <plimsoll/support/diagnostic.hpp>
#include <plimsoll/support/text_source.hpp>

namespace plimsoll::lbdata {

/// Fills in the lines of findings that have a byte offset into the text of `source`, by counting its line
/// ends: a second pass over the text, which only files with findings pay for.
void add_line_numbers(support::TextSource source, std::vector<Diagnostic*> findings);

}  // namespace plimsoll::lbdata
