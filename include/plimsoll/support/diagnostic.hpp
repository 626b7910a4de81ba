#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Severity of a diagnostic, ascending.
enum class Severity { note, warning, error };

/// Returns the lower-case name of a severity, as printed and as written to JSON.
const char* to_string(Severity severity);

/// Diagnostic about an input. Libraries return or throw it; only the command prints it.
struct Diagnostic {
  Severity severity = Severity::error;
  std::string check;                   ///< name of the check that found it, e.g. "schema"; may be empty
  std::string what;                    ///< description of the problem, one line, no full stop
  std::string file;                    ///< path of the file; empty if the problem does not concern a file
  std::optional<std::uint64_t> byte;   ///< offset into the (decompressed) text, from 0
  std::optional<std::uint64_t> line;   ///< line of the (decompressed) text, from 1
  std::optional<std::string> pointer;  ///< JSON pointer (RFC 6901) such as /phases/2/tasks/14/time
  std::string suggestion;              ///< suggested action, one line, no full stop; may be empty
};

/// Formats a diagnostic as "FILE:LINE (byte B): /pointer: what [check]; suggestion": one line, without the
/// severity. Characters that are not printable() become question marks, because file names and file contents
/// are untrusted.
std::string to_string(const Diagnostic& diagnostic);

}  // namespace plimsoll::support

namespace plimsoll::PLIMSOLL_ABI {
using support::Diagnostic;
using support::Severity;
}  // namespace plimsoll
