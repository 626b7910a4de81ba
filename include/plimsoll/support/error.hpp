#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <plimsoll/support/diagnostic.hpp>

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
  Error(ErrorKind kind, Diagnostic diagnostic);

  ErrorKind kind() const { return kind_; }
  const Diagnostic& diagnostic() const { return diagnostic_; }

 private:
  ErrorKind kind_;
  Diagnostic diagnostic_;
};

/// Error (bad_input) about a file that ends too early: the data before its end may be valid.
class TruncatedError : public Error {
 public:
  explicit TruncatedError(Diagnostic diagnostic) : Error(ErrorKind::bad_input, std::move(diagnostic)) {}
};

/// Error (bad_input) about a file that is rejected because of the size of its text, regardless of its
/// content.
class SizeLimitError : public Error {
 public:
  explicit SizeLimitError(Diagnostic diagnostic) : Error(ErrorKind::bad_input, std::move(diagnostic)) {}
};

/// Creates an Error about a file that was read and is invalid.
Error bad_input(std::string what, std::string file = {}, std::string suggestion = {});
/// Creates an Error about a request of the caller.
Error usage_error(std::string what, std::string suggestion = {});
/// Creates an Error of the operating system about `file`; the text of `errno_value` is appended to `what`.
Error system_error(std::string what, std::string file, int errno_value, std::string suggestion = {});

}  // namespace plimsoll::support

namespace plimsoll::PLIMSOLL_ABI {
using support::Error;
using support::ErrorKind;
}  // namespace plimsoll
