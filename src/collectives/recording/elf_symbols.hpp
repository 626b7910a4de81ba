#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Functions of a program or shared library by its symbol table; if it was stripped, by its dynamic symbols.
/// Needs no library, but knows no lines. Source of the format: System V ABI, chapters 4 and 5.
class ElfSymbols {
 public:
  struct Function {
    std::string name;           ///< as linked, i.e. mangled
    std::uint64_t address = 0;  ///< as linked
  };

  /// Reads the symbols of a file for this kind of processor. Without a valid file, they are empty.
  explicit ElfSymbols(const std::string& path);

  /// Returns the function that contains an address of the file; nothing if it is unknown. Cost: O(log
  /// functions).
  std::optional<Function> function_at(std::uint64_t address) const;

 private:
  struct Symbol {
    std::uint64_t address;
    std::uint64_t size;
    std::uint32_t name;  ///< position in names_
  };

  std::vector<Symbol> symbols_;  ///< ascending by address
  std::string names_;            ///< each with a final null character
};

}  // namespace plimsoll::collectives
