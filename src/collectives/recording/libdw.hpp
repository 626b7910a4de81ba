#pragma once

#include <elfutils/libdwfl.h>

#include <plimsoll/support/internal/loaded_library.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Functions of libdw that are looked up in the library at run time.
class LibDw {
  support::LoadedLibrary library_{"libdw.so.1"};

 public:
  static const LibDw& instance() {
    static const LibDw library;
    return library;
  }

  /// Returns whether the library exists and has all these functions.
  bool found() const { return library_.is_usable(); }

  decltype(&dwfl_begin) begin = library_.function("dwfl_begin");
  decltype(&dwfl_end) end = library_.function("dwfl_end");
  decltype(&dwfl_report_offline) report_offline = library_.function("dwfl_report_offline");
  decltype(&dwfl_report_end) report_end = library_.function("dwfl_report_end");
  decltype(&dwfl_module_getelf) module_getelf = library_.function("dwfl_module_getelf");
  decltype(&dwfl_module_addrinfo) module_addrinfo = library_.function("dwfl_module_addrinfo");
  decltype(&dwfl_module_getsrc) module_getsrc = library_.function("dwfl_module_getsrc");
  decltype(&dwfl_lineinfo) lineinfo = library_.function("dwfl_lineinfo");
  decltype(&dwfl_build_id_find_elf) find_elf = library_.function("dwfl_build_id_find_elf");
  decltype(&dwfl_build_id_find_debuginfo) find_debuginfo = library_.function("dwfl_build_id_find_debuginfo");
  decltype(&dwfl_module_addrdie) module_addrdie = library_.function("dwfl_module_addrdie");
  decltype(&dwarf_srclang) srclang = library_.function("dwarf_srclang");
  decltype(&dwarf_attr) attr = library_.function("dwarf_attr");
  decltype(&dwarf_formstring) formstring = library_.function("dwarf_formstring");
  decltype(&dwarf_child) child = library_.function("dwarf_child");
  decltype(&dwarf_siblingof) siblingof = library_.function("dwarf_siblingof");
  decltype(&dwarf_ranges) ranges = library_.function("dwarf_ranges");
  decltype(&dwarf_tag) tag = library_.function("dwarf_tag");
  decltype(&dwarf_decl_line) decl_line = library_.function("dwarf_decl_line");
  decltype(&dwfl_offline_section_address) section_address = library_.function("dwfl_offline_section_address");

 private:
  LibDw() = default;
};

}  // namespace plimsoll::collectives
