#ifdef PLIMSOLL_HAS_LIBDWFL
#include "collectives/recording/declaration_lines.hpp"

#include <dwarf.h>

#include <string_view>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

bool is_function(int tag) {
  return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

/// Returns whether entries of this kind may contain functions with code. Those of classes are elsewhere.
bool may_contain_code(int tag) {
  return is_function(tag) || tag == DW_TAG_lexical_block || tag == DW_TAG_module || tag == DW_TAG_namespace;
}

}  // namespace

bool has_lines_of_outer_statements(Dwarf_Die& unit) {
  const LibDw& library = LibDw::instance();
  switch (library.srclang(&unit)) {
    case DW_LANG_Fortran77:
    case DW_LANG_Fortran90:
    case DW_LANG_Fortran95:
    case DW_LANG_Fortran03:
    case DW_LANG_Fortran08: break;
    default: return false;
  }
  Dwarf_Attribute producer;
  // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): without all its functions, the library is not used
  if (library.attr(&unit, DW_AT_producer, &producer) == nullptr) return true;
  const char* const name = library.formstring(&producer);
  return name == nullptr || std::string_view(name).starts_with("GNU");
}

int DeclarationLines::line_of_function(const Dwarf_Die& unit, Dwarf_Addr address) {
  const auto [found, is_new] = code_.try_emplace(unit.addr);
  if (is_new) list_code(unit, 0, found->second);
  int line = 0;
  for (const Code& code : found->second)
    if (code.begin <= address && address < code.end) line = code.line;
  return line;
}

void DeclarationLines::list_code(Dwarf_Die parent, int line_of_parent, std::vector<Code>& code) {
  const LibDw& library = LibDw::instance();
  Dwarf_Die entry;
  // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): without all its functions, the library is not used
  for (int missing = library.child(&parent, &entry); missing == 0;
       missing = library.siblingof(&entry, &entry)) {
    const int tag = library.tag(&entry);
    if (!may_contain_code(tag)) continue;
    int line = line_of_parent;
    if (is_function(tag)) {
      if (library.decl_line(&entry, &line) != 0) line = line_of_parent;
      Dwarf_Addr base = 0, begin = 0, end = 0;
      for (std::ptrdiff_t next = 0; (next = library.ranges(&entry, next, &base, &begin, &end)) > 0;)
        code.push_back({begin, end, line});
    }
    list_code(entry, line, code);
  }
}

}  // namespace plimsoll::collectives
#endif
