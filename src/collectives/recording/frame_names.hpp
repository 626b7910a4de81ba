#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace plimsoll::inline v0_1::collectives {

/// An address of code: the file it is from, and its address in that file as linked, which is the same in
/// every process, wherever the file was loaded.
struct CodeAddress {
  std::string module_path;
  std::uint64_t offset = 0;
};

/// Where an address of this process is from; nothing if no file is loaded there.
std::optional<CodeAddress> module_of(const void* address);

/// Names the frames of call stacks by the symbols and debugging information of files, with libdw of elfutils,
/// which is looked for when first needed: without it, frames have no function and no line. Separate debugging
/// information is found by build id in /usr/lib/debug; nothing is downloaded. Keeps what it has read of each
/// file. Not thread-safe.
class FrameNames {
 public:
  FrameNames();
  ~FrameNames();

  /// The text of a frame (Backtrace::frames) for a return address:
  /// "MODULE(FUNCTION+0xOFFSET) [0xADDRESS] FILE:LINE", or as much of it as is known; at least
  /// "MODULE [0xADDRESS]". FILE:LINE is of the call, the instruction before the return address.
  std::string describe(const std::string& module_path, std::uint64_t offset);

 private:
  class Module;
  Module& module(const std::string& path);

  std::map<std::string, std::unique_ptr<Module>> modules_;
};

}  // namespace plimsoll::collectives
