#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/support/diagnostic.hpp>

namespace plimsoll::inline v0_1::collectives {

/// Thrown inside the readers where a part of a file cannot be what it should be; each of them turns it into a
/// finding and goes on with the next part.
struct Malformed {
  std::uint64_t line = 0;
  std::string what;
};

/// What is found in one file. Of a file full of nonsense only the first hundred findings are kept.
class Findings {
 public:
  Findings(std::string file, std::vector<Diagnostic>& list) : file_(std::move(file)), list_(list) {}

  /// `line` 0: the file as a whole.
  void add(Severity severity, std::uint64_t line, std::string what, std::string suggestion = {});
  /// The same in JSON, at a pointer.
  void add_at(Severity severity, std::string pointer, std::string what);
  const std::string& file() const { return file_; }

 private:
  void add(Diagnostic finding);

  static constexpr std::size_t most = 100;
  std::string file_;
  std::vector<Diagnostic>& list_;
  std::size_t count_ = 0;
};

/// How many numbers may still be kept in memory, over all files read.
class Budget {
 public:
  explicit Budget(std::uint64_t numbers) : left_(numbers) {}
  std::uint64_t left() const { return left_; }
  /// Throws Malformed if there are not so many left.
  void check(std::uint64_t numbers, std::uint64_t line) const;
  /// The same, and uses them up.
  void take(std::uint64_t numbers, std::uint64_t line);

 private:
  std::uint64_t left_;
};

/// A piece of a file as a message shows it: not too long, in quotes, and printable.
std::string shown(std::string_view text);

}  // namespace plimsoll::collectives
