#include "collectives/launching/elf_needs.hpp"

#include <elf.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

constexpr std::uint64_t max_table_bytes = std::uint64_t{16} << 20;
// Maximum total size of the names: many entries could refer to the same long text.
constexpr std::size_t max_names_bytes = 64 << 10;
constexpr unsigned char own_byte_order =
    std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;

/// Reads parts of a file; missing or oversized parts are empty.
class ElfFile {
 public:
  explicit ElfFile(const std::string& path) : file_(path, std::ios::binary) {}

  std::string part(std::uint64_t offset, std::uint64_t size) {
    if (size > max_table_bytes || offset > INT64_MAX) return {};
    std::string bytes(size, '\0');
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(offset));
    file_.read(bytes.data(), static_cast<std::streamsize>(size));
    bytes.resize(file_.gcount() > 0 ? static_cast<std::size_t>(file_.gcount()) : 0);
    return bytes;
  }

  template <class Entry>
  std::vector<Entry> table(std::uint64_t offset, std::uint64_t size) {
    const std::string bytes = part(offset, size);
    std::vector<Entry> entries(bytes.size() / sizeof(Entry));
    if (!entries.empty()) std::memcpy(entries.data(), bytes.data(), entries.size() * sizeof(Entry));
    return entries;
  }

 private:
  std::ifstream file_;
};

bool is_native(const Elf64_Ehdr& header) {
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
         header.e_ident[EI_DATA] == own_byte_order && header.e_phentsize == sizeof(Elf64_Phdr);
}

// Returns the file offset of a virtual address, or UINT64_MAX if the file does not contain it.
std::uint64_t offset_of(const std::vector<Elf64_Phdr>& segments, std::uint64_t address) {
  for (const Elf64_Phdr& segment : segments)
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz)
      return segment.p_offset + (address - segment.p_vaddr);
  return UINT64_MAX;
}

std::string string_at(const std::string& strings, std::uint64_t offset) {
  return offset < strings.size() ? std::string(strings.c_str() + offset) : "";
}

// Splits a list such as "$ORIGIN/../lib:/opt/lib".
std::vector<std::string> folders_of(const std::string& list, const std::string& origin) {
  std::vector<std::string> folders;
  for (const std::string_view part : support::split(list, ':')) {
    std::string folder(part);
    for (const std::string name : {"${ORIGIN}", "$ORIGIN"})
      if (const std::size_t place = folder.find(name); place != std::string::npos)
        folder.replace(place, name.size(), origin);
    if (!folder.empty()) folders.push_back(folder);
  }
  return folders;
}

}  // namespace

std::optional<ElfNeeds> read_elf_needs(const std::string& path) {
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code)) return std::nullopt;
  ElfFile file(path);
  const auto headers = file.table<Elf64_Ehdr>(0, sizeof(Elf64_Ehdr));
  if (headers.empty() || !is_native(headers[0])) return std::nullopt;
  const auto segments =
      file.table<Elf64_Phdr>(headers[0].e_phoff, std::uint64_t{headers[0].e_phnum} * sizeof(Elf64_Phdr));
  ElfNeeds needs;
  const auto dynamic = std::ranges::find(segments, Elf64_Word{PT_DYNAMIC}, &Elf64_Phdr::p_type);
  if (dynamic == segments.end()) return needs;
  auto entries = file.table<Elf64_Dyn>(dynamic->p_offset, dynamic->p_filesz);
  entries.erase(std::ranges::find(entries, Elf64_Sxword{DT_NULL}, &Elf64_Dyn::d_tag), entries.end());
  const auto value_of = [&](Elf64_Sxword tag) {
    const auto entry = std::ranges::find(entries, tag, &Elf64_Dyn::d_tag);
    return entry == entries.end() ? 0 : entry->d_un.d_val;
  };
  const std::string strings = file.part(offset_of(segments, value_of(DT_STRTAB)), value_of(DT_STRSZ));
  const std::string origin = std::filesystem::absolute(path, code).parent_path().string();
  std::size_t room = max_names_bytes;
  for (const Elf64_Dyn& entry : entries) {
    if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_RUNPATH && entry.d_tag != DT_RPATH) continue;
    const std::string text = string_at(strings, entry.d_un.d_val);
    if (text.size() > room) break;
    room -= text.size();
    if (entry.d_tag == DT_NEEDED && !text.empty()) needs.libraries.push_back(text);
    if (entry.d_tag == DT_RUNPATH || entry.d_tag == DT_RPATH)
      std::ranges::copy(folders_of(text, origin), std::back_inserter(needs.folders));
  }
  return needs;
}

}  // namespace plimsoll::collectives
