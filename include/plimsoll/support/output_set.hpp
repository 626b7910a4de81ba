#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include <plimsoll/support/output_file.hpp>

namespace plimsoll::support {

/// Files of one folder that come into being together or not at all: each grows under its `.partial` name, and
/// publish() gives all of them their names. Without it, none of them stays, and what was there before is
/// untouched.
///
///     OutputSet files("data", true);
///     OutputFile file = files.create("data.0.json");
///     file.write("{}");
///     file.finish();
///     files.publish();
class OutputSet {
 public:
  /// Makes the folder if it is missing. Throws Error (system).
  OutputSet(std::string folder, bool overwrite);
  OutputSet(const OutputSet&) = delete;
  OutputSet& operator=(const OutputSet&) = delete;
  /// Removes what was not published. All its files are finished or destroyed by then.
  ~OutputSet();

  /// Begins a file of the set, which the caller writes and finishes (OutputFile::finish()). Whether it
  /// overwrites is up to the set, not to `options`. May be called by several threads. Throws Error as
  /// OutputFile.
  OutputFile create(const std::string& name, OutputOptions options = {});

  /// Brings the finished files to the disk, gives them their names in the order of their creation, and then
  /// removes `superseded`: paths in the folder that the set replaces. Throws Error: usage if a name has come
  /// into being meanwhile and overwriting is not allowed; system if the system refuses.
  void publish(const std::vector<std::string>& superseded = {});

  /// Paths of the files begun so far.
  const std::vector<std::string>& paths() const { return paths_; }

 private:
  std::string folder_;
  bool overwrite_;
  std::mutex mutex_;  ///< guards paths_
  std::vector<std::string> paths_;
  std::size_t published_ = 0;  ///< that many of them have their names
};

}  // namespace plimsoll::support
