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

/// Names the frames of call stacks by the symbols and debugging information of files. It uses libdw of
/// elfutils, which is loaded on first use; without it, frames have no function and no line. Separate
/// debugging information is found by build ID in /usr/lib/debug; nothing is downloaded. Caches the data of
/// each file. Not thread-safe.
class FrameNames {
 public:
  FrameNames();
  ~FrameNames();

  /// Returns the text of a frame (Backtrace::frames) for a return address: "MODULE(FUNCTION+0xOFFSET)
  /// [0xADDRESS] FILE:LINE", without unknown parts; "MODULE [0xADDRESS]" is always present. FILE:LINE is the
  /// position of the call, the instruction before the return address.
  std::string describe(const std::string& module_path, std::uint64_t offset);

 private:
  class Module;
  Module& module(const std::string& path);

  std::map<std::string, std::unique_ptr<Module>> modules_;
};

}  // namespace plimsoll::collectives
