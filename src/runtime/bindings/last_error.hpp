#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Language of the interface that a program uses.
enum class Language { c, fortran };

/// A function, or another part of the interface, in each language.
struct InterfaceName {
  std::string cpp;  ///< as in the texts of errors and messages; functions end in "()"
  std::string c;
  std::string fortran;
};

/// Returns all names that texts of the runtime contain, except those that are the same in all languages.
std::span<const InterfaceName> interface_names();

/// Replaces C++ names in a text by the names of the language, so that users see their own: "end()" becomes
/// "plimsoll_end()" in C and "end_work()" in Fortran. Cost: O(length of the text x number of names).
std::string in_language(std::string_view text, Language language);

/// The last error that a function of the C or Fortran interface returned as a status. Many programs ignore
/// the status, so an error that the program does not ask for is printed: when the next such function is
/// called, or at the end of the process.
class LastError {
 public:
  using Print = std::function<void(const std::string&)>;

  explicit LastError(Print print) : print_(std::move(print)) {}
  LastError(const LastError&) = delete;
  LastError& operator=(const LastError&) = delete;
  /// Prints the error if it is unchecked. Forked children leave this to their parent.
  ~LastError();

  /// Stores an error. `is_ours` is whether this rank prints it.
  void set(std::string text, bool is_ours);
  /// Stores an error that the program has already noticed without its text.
  void set_checked(std::string text);
  /// Returns the text of the last error, which counts as checked from now on. Empty before the first error.
  const std::string& check();
  /// Prints the error if the program has not checked it. A problem is printed once, even if it occurs in
  /// every phase: texts that differ in numbers only, such as the phase, count as the same.
  void print_unchecked();

 private:
  Print print_;
  pid_t process_ = ::getpid();
  std::string text_;
  std::string printed_;  // last text printed, without digits
  bool is_unchecked_ = false;
};

}  // namespace plimsoll::runtime
