#pragma once

#include <span>
#include <string>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Language of the interface that a program uses.
enum class Language { c, fortran };

/// A function, or another part of the interface, in each language.
struct InterfaceName {
  std::string_view cpp;  ///< as in the texts of errors and messages; functions end in "()"
  std::string_view c;
  std::string_view fortran;
};

/// Returns all names that texts of the runtime contain, except those that are the same in all languages.
std::span<const InterfaceName> interface_names();

/// Replaces C++ names in a text by the names of the language, so that users see their own: "end()" becomes
/// "plimsoll_end()" in C and "end_work()" in Fortran. Cost: O(length of the text x number of names).
std::string in_language(std::string_view text, Language language);

}  // namespace plimsoll::runtime
