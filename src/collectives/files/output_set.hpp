#pragma once

#include <functional>
#include <string>
#include <vector>

#include "collectives/files/text_output.hpp"

namespace plimsoll::collectives {

/// Files that come into being together or not at all. Where they may overwrite others, nothing of these stays
/// that would be taken for a part of them (stale_files.hpp).
class OutputSet {
 public:
  /// Makes the folder if it is not there. Throws Error (system).
  OutputSet(std::string folder, bool overwrite);
  OutputSet(const OutputSet&) = delete;
  OutputSet& operator=(const OutputSet&) = delete;
  /// Without publish(): nothing stays.
  ~OutputSet();

  /// Writes a file of which the name is not to be seen yet. Throws Error as support::OutputFile.
  void add(const std::string& name, const std::function<void(TextOutput&)>& write);
  /// Makes the files durable and gives them their names; returns their paths. Throws Error.
  std::vector<std::string> publish();

 private:
  void remove_stale_files() const;
  void sync(int (*sync_descriptor)(int)) const;

  std::string folder_;
  bool overwrite_;
  std::vector<std::string> paths_;
  std::size_t published_ = 0;
};

}  // namespace plimsoll::collectives
