#include "pelayout/timing/tar_members.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <memory>
#include <new>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

struct FreeArchive {
  void operator()(archive* opened) const { ::archive_read_free(opened); }
};

class TarReader {
 public:
  TarReader(std::string_view bytes, const std::string& path) : path_(path), archive_(::archive_read_new()) {
    if (!archive_) throw std::bad_alloc();
    ::archive_read_support_format_tar(archive_.get());
    check(::archive_read_open_memory(archive_.get(), bytes.data(), bytes.size()));
  }

  /// Moves to the next member; returns whether one exists.
  bool next() {
    const int status = ::archive_read_next_header(archive_.get(), &entry_);
    if (status == ARCHIVE_EOF) return false;
    check(status);
    return true;
  }

  bool is_file() const { return ::archive_entry_filetype(entry_) == AE_IFREG; }

  std::string name() const {
    const char* const name = ::archive_entry_pathname(entry_);
    return support::printable(name == nullptr ? "" : name);
  }

  std::string content() {
    std::string content;
    const void* block = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    for (int status = ARCHIVE_OK;
         (status = ::archive_read_data_block(archive_.get(), &block, &size, &offset)) != ARCHIVE_EOF;) {
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
    const char* const reason = ::archive_error_string(archive_.get());
    throw support::bad_input(
        fmt::format("damaged archive: {}", support::printable(reason == nullptr ? "unknown" : reason)), path_,
        "copy it again");
  }

  const std::string& path_;
  std::unique_ptr<archive, FreeArchive> archive_;
  archive_entry* entry_ = nullptr;  ///< current member; owned by the archive
};

}  // namespace

bool is_tar(std::string_view start) {
  constexpr std::size_t magic_place = 257;  // POSIX.1-1988, in the header of the first member
  constexpr std::string_view magic = "ustar";
  return start.size() >= magic_place + magic.size() && start.substr(magic_place, magic.size()) == magic;
}

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

}  // namespace plimsoll::pelayout
