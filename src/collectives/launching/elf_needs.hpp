#pragma once

#include <optional>
#include <string>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Libraries and directories that a program or shared library requests.
struct ElfNeeds {
  std::vector<std::string> libraries;  ///< DT_NEEDED
  std::vector<std::string> folders;    ///< DT_RUNPATH or DT_RPATH, $ORIGIN replaced
};

/// Reads the dynamic section of an ELF file for this machine type (64 bits, the same byte order). Returns
/// nothing for other files, and an empty result for a damaged file. Never throws.
std::optional<ElfNeeds> read_elf_needs(const std::string& path);

}  // namespace plimsoll::collectives
