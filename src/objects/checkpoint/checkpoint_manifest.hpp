#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "objects/checkpoint/checkpoint_format.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

/// Contents of a checkpoint's manifest (checkpoint_format.hpp).
struct CheckpointManifest {
  std::uint64_t checkpoint = 0;                       ///< ID of the checkpoint
  std::vector<checkpoint_format::FileSummary> files;  ///< summary of each record file, by number
  std::vector<std::byte> description;                 ///< data of the user that all ranks share
};

/// Returns the bytes of the file.
std::string to_text(const CheckpointManifest& manifest);
/// Returns the bytes of the manifest in a directory. Throws Error: bad_input if the directory contains no
/// manifest, system if it cannot be read.
std::string read_manifest(const std::string& folder);
/// Parses the manifest of a directory. Throws Error (bad_input) if it is damaged or its version is unknown.
CheckpointManifest parse_manifest(std::string_view text, const std::string& folder);

/// Removes the record files that do not belong to the manifest: those of the checkpoint that it replaced, and
/// those that killed programs have left. If that fails or the manifest is damaged, they remain until the
/// next call.
void remove_unlisted_files(const std::string& folder) noexcept;

}  // namespace plimsoll::objects
