#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <plimsoll/support/diagnostic.hpp>

namespace plimsoll::inline v0_1::support {

/// Whose fault an error is; the command turns it into its exit code.
enum class ErrorKind {
  bad_input = 1,  ///< the input was read and is bad: an invalid file, an infeasible problem
  usage = 2,      ///< the caller asked for something that does not exist or contradicts itself
  system = 3,     ///< the system failed: cannot open, disk full, out of memory
};

/// The one exception type that Plimsoll's libraries throw: an operation cannot go on.
/// `what()` is the diagnostic in one line.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, Diagnostic diagnostic);

  ErrorKind kind() const { return kind_; }
  const Diagnostic& diagnostic() const { return diagnostic_; }

 private:
  ErrorKind kind_;
  Diagnostic diagnostic_;
};

/// Error (bad_input) about a file that ends too early: what precedes its end may be sound.
class TruncatedError : public Error {
 public:
  explicit TruncatedError(Diagnostic diagnostic) : Error(ErrorKind::bad_input, std::move(diagnostic)) {}
};

/// Error (bad_input) about a file that is refused for the size of its text, whatever it holds.
class SizeLimitError : public Error {
 public:
  explicit SizeLimitError(Diagnostic diagnostic) : Error(ErrorKind::bad_input, std::move(diagnostic)) {}
};

/// Error about a file that was read and is bad.
Error bad_input(std::string what, std::string file = {}, std::string suggestion = {});
/// Error about what the caller asked for.
Error usage_error(std::string what, std::string suggestion = {});
/// Error of the operating system on `file`; `what` is completed by the text of `errno_value`.
Error system_error(std::string what, std::string file, int errno_value, std::string suggestion = {});

}  // namespace plimsoll::support

namespace plimsoll::inline v0_1 {
using support::Error;
using support::ErrorKind;
}  // namespace plimsoll
