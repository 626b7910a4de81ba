#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <plimsoll/support/contract.hpp>

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

namespace plimsoll::PLIMSOLL_ABI::support {

/// Party responsible for an error. It determines the exit code of the command.
enum class ErrorKind {
  bad_input = 1,  ///< invalid input: an invalid file, an infeasible problem
  usage = 2,      ///< invalid request of the caller: an unknown name, contradictory options
  system = 3,     ///< failure of the system: a file cannot be opened, the disk is full, memory is exhausted
};

/// Reports that an operation cannot continue. This is the only exception type that Plimsoll's libraries
/// throw. `what()` is the diagnostic in one line.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, Diagnostic diagnostic, SourceLocation origin = PLIMSOLL_CALLER);

  ErrorKind kind() const { return kind_; }
  const Diagnostic& diagnostic() const { return diagnostic_; }
  /// Returns the place in Plimsoll's sources that reports the error, for developers. It has line 0 in builds
  /// without contracts, and is never part of `what()`.
  const SourceLocation& origin() const { return origin_; }

 private:
  ErrorKind kind_;
  Diagnostic diagnostic_;
  SourceLocation origin_;  // always present: programs and libraries may differ in PLIMSOLL_CONTRACTS
};

/// Error (bad_input) about a file that ends too early: the data before its end may be valid.
class TruncatedError : public Error {
 public:
  explicit TruncatedError(Diagnostic diagnostic, SourceLocation origin = PLIMSOLL_CALLER)
      : Error(ErrorKind::bad_input, std::move(diagnostic), origin) {}
};

/// Error (bad_input) about a file that is rejected because of the size of its text, regardless of its
/// content.
class SizeLimitError : public Error {
 public:
  explicit SizeLimitError(Diagnostic diagnostic, SourceLocation origin = PLIMSOLL_CALLER)
      : Error(ErrorKind::bad_input, std::move(diagnostic), origin) {}
};

/// Creates an Error about a file that was read and is invalid.
Error bad_input(std::string what, std::string file = {}, std::string suggestion = {},
                SourceLocation origin = PLIMSOLL_CALLER);
/// Creates an Error about a request of the caller, and about the file that it concerns, if any.
Error usage_error(std::string what, std::string suggestion = {}, SourceLocation origin = PLIMSOLL_CALLER);
Error usage_error(std::string what, std::string file, std::string suggestion,
                  SourceLocation origin = PLIMSOLL_CALLER);
/// Creates an Error of the operating system about `file`; the text of `errno_value` is appended to `what`.
Error system_error(std::string what, std::string file, int errno_value, std::string suggestion = {},
                   SourceLocation origin = PLIMSOLL_CALLER);

}  // namespace plimsoll::support

namespace plimsoll::PLIMSOLL_ABI {
using support::Error;
using support::ErrorKind;
}  // namespace plimsoll

namespace plimsoll::PLIMSOLL_ABI::support {

/// Returns the exception being handled as an Error. Other exceptions become an Error (system) with their
/// text. Call it only in a catch block.
Error current_error();

}  // namespace plimsoll::support
