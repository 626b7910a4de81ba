#include "pelayout/timing/tar_members.hpp"

#include <fmt/format.h>

#ifdef PLIMSOLL_LIBARCHIVE_LIBRARY
#include <archive.h>
#include <archive_entry.h>

#include <memory>
#include <new>

#include <plimsoll/support/internal/loaded_library.hpp>
#endif

#include <plimsoll/pelayout/internal/used_libraries.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

bool is_tar(std::string_view start) {
  constexpr std::size_t magic_place = 257;  // POSIX.1-1988, in the header of the first member
  constexpr std::string_view magic = "ustar";
  return start.size() >= magic_place + magic.size() && start.substr(magic_place, magic.size()) == magic;
}

#ifdef PLIMSOLL_LIBARCHIVE_LIBRARY

namespace {

/// libarchive, which is loaded when it is first used. Throws Error (system) if that fails.
struct LibArchive {
  support::LoadedLibrary library{PLIMSOLL_LIBARCHIVE_LIBRARY};
  PLIMSOLL_LOADED_FUNCTION(archive_, read_new);
  PLIMSOLL_LOADED_FUNCTION(archive_, read_free);
  PLIMSOLL_LOADED_FUNCTION(archive_, read_support_format_tar);
  PLIMSOLL_LOADED_FUNCTION(archive_, read_open_memory);
  PLIMSOLL_LOADED_FUNCTION(archive_, read_next_header);
  PLIMSOLL_LOADED_FUNCTION(archive_, read_data_block);
  PLIMSOLL_LOADED_FUNCTION(archive_, entry_filetype);
  PLIMSOLL_LOADED_FUNCTION(archive_, entry_pathname);
  PLIMSOLL_LOADED_FUNCTION(archive_, error_string);
  PLIMSOLL_LOADED_FUNCTION(archive_, version_number);

  LibArchive() { library.expect_usable("libarchive", "unpack the archive, and specify its files"); }
};

const LibArchive& libarchive() {
  static const LibArchive loaded;
  return loaded;
}

class TarReader {
 public:
  TarReader(std::string_view bytes, const std::string& path)
      : path_(path), archive_(libarchive().read_new(), libarchive().read_free) {
    if (!archive_) throw std::bad_alloc();
    libarchive().read_support_format_tar(archive_.get());
    check(libarchive().read_open_memory(archive_.get(), bytes.data(), bytes.size()));
  }

  /// Moves to the next member; returns whether one exists.
  bool next() {
    const int status = libarchive().read_next_header(archive_.get(), &entry_);
    if (status == ARCHIVE_EOF) return false;
    check(status);
    return true;
  }

  bool is_file() const { return libarchive().entry_filetype(entry_) == AE_IFREG; }

  std::string name() const {
    const char* const name = libarchive().entry_pathname(entry_);
    return support::printable(name == nullptr ? "" : name);
  }

  std::string content() {
    std::string content;
    const void* block = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    for (int status = ARCHIVE_OK;
         (status = libarchive().read_data_block(archive_.get(), &block, &size, &offset)) != ARCHIVE_EOF;) {
      check(status);
      if (offset != static_cast<la_int64_t>(content.size()))
        throw support::bad_input(fmt::format("sparse file {} in the archive", name()), path_,
                                 "make an archive without sparse files");
      content.append(static_cast<const char*>(block), size);
    }
    return content;
  }

 private:
  void check(int status) const {
    if (status == ARCHIVE_OK || status == ARCHIVE_WARN) return;
    const char* const reason = libarchive().error_string(archive_.get());
    throw support::bad_input(
        fmt::format("damaged archive: {}", support::printable(reason == nullptr ? "unknown" : reason)), path_,
        "copy it again");
  }

  const std::string& path_;
  std::unique_ptr<archive, decltype(LibArchive::read_free)> archive_;
  archive_entry* entry_ = nullptr;  ///< current member; owned by the archive
};

}  // namespace

void for_each_tar_member(std::string_view archive, const std::string& path,
                         const std::function<void(const std::string& name, std::string_view content)>& use) {
  TarReader reader(archive, path);
  for (std::size_t count = 0; reader.next(); ++count) {
    if (count == max_members)
      throw support::bad_input(fmt::format("more than {} files in the archive", max_members), path,
                               "check that this is an archive of timing files");
    if (reader.is_file()) use(reader.name(), reader.content());
  }
}

support::UsedLibrary libarchive_library() {
  return support::try_library("libarchive", [](support::UsedLibrary& library) {
    const int version = libarchive().version_number();  // 3006002 is 3.6.2
    library.version = fmt::format("{}.{}.{}", version / 1'000'000, version / 1000 % 1000, version % 1000);
  });
}

#else

support::UsedLibrary libarchive_library() {
  return {.name = "libarchive", .is_built_in = false};
}

void for_each_tar_member(std::string_view /*archive*/, const std::string& path,
                         const std::function<void(const std::string&, std::string_view)>& /*use*/) {
  throw support::usage_error("this Plimsoll was built without libarchive", path,
                             "unpack the archive, and specify its files");
}

#endif

}  // namespace plimsoll::pelayout
