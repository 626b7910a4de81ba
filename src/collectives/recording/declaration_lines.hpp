#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "collectives/recording/libdw.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Returns whether calls may have the line of a statement around them. GNU Fortran does so to calls whose
/// arguments need no code: in a loop or branch, they have the line of its condition.
bool has_lines_of_outer_statements(Dwarf_Die& unit);

/// Lines that declare the functions of a file, by its debugging information (DWARF 5, 3.3).
class DeclarationLines {
 public:
  /// Returns the line that declares the function, maybe inlined, to which an address belongs; 0 if unknown.
  /// Functions that the compiler makes of parts of another one, e.g. for OpenMP, have the line of that one.
  /// Cost: O(debugging information) once for each unit, then O(functions of the unit).
  int line_of_function(const Dwarf_Die& unit, Dwarf_Addr address);

 private:
  struct Code {
    Dwarf_Addr begin;
    Dwarf_Addr end;
    int line;
  };

  /// Lists the code of functions below an entry, outer functions first.
  static void list_code(Dwarf_Die parent, int line_of_parent, std::vector<Code>& code);

  std::map<const void*, std::vector<Code>> code_;  ///< by address of the unit's entry
};

}  // namespace plimsoll::collectives
