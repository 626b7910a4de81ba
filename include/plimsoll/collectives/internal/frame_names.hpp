#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// A code address: the file, and the address in that file as linked. This address is equal in every process,
/// regardless of where the file was loaded.
struct CodeAddress {
  std::string module_path;
  std::uint64_t offset = 0;
};

/// Converts an address of this process to a code address; nothing if no file is loaded there.
std::optional<CodeAddress> module_of(const void* address);

/// A call in the source code, as far as it is known.
struct SourcePlace {
  std::string function;                  ///< empty if unknown
  std::uint64_t offset_in_function = 0;  ///< of the return address
  std::string file;                      ///< empty if unknown
  int line = 0;
  /// Whether `line` may be that of a statement around the call: gfortran may give CALL statements whose
  /// arguments need no code the line of their loop, branch or function.
  bool may_be_line_of_outer_statement = false;
  bool is_line_of_function = false;  ///< whether it is such a line, because the function begins there
};

/// Returns the text of a frame (Backtrace::frames): "MODULE(FUNCTION+0xOFFSET) [0xADDRESS] FILE:LINE",
/// without unknown parts; "MODULE [0xADDRESS]" is always present.
std::string to_text(const CodeAddress& code, const SourcePlace& place);

/// Returns the name of a function without the suffix of a copy that the compiler made: "step" for
/// "step.constprop.0".
std::string without_clone(const std::string& function);

/// Names the frames of call stacks by the symbols and debugging information of files. It uses libdw of
/// elfutils, which is loaded on first use; without it, frames have no line. Separate
/// debugging information is found by build ID in /usr/lib/debug; nothing is downloaded. Caches the data of
/// each file. Not thread-safe.
class FrameNames {
 public:
  FrameNames();
  ~FrameNames();

  /// Returns the place of the call that returns to an address: of the instruction before it.
  SourcePlace place_of(const CodeAddress& code);
  /// Returns its text.
  std::string describe(const std::string& module_path, std::uint64_t offset);

 private:
  class Module;
  Module& module(const std::string& path);

  std::map<std::string, std::unique_ptr<Module>> modules_;
};

}  // namespace plimsoll::collectives
