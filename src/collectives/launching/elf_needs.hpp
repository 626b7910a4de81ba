#pragma once

#include <optional>
#include <string>
#include <vector>

namespace plimsoll::inline v0_1::collectives {

/// What a program or shared library says that it needs.
struct ElfNeeds {
  std::vector<std::string> libraries;  ///< DT_NEEDED
  std::vector<std::string> folders;    ///< DT_RUNPATH or DT_RPATH, $ORIGIN replaced
};

/// Reads the dynamic section of an ELF file of this kind of machine (64 bits, the same byte order); nothing
/// if it is none. A damaged file needs nothing. Never throws.
std::optional<ElfNeeds> read_elf_needs(const std::string& path);

}  // namespace plimsoll::collectives
