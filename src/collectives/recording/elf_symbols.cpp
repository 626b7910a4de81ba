#include "collectives/recording/elf_symbols.hpp"

#include <link.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

using Header = ElfW(Ehdr);
using Section = ElfW(Shdr);
using SymbolEntry = ElfW(Sym);

constexpr unsigned char elf_class = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
constexpr unsigned char elf_byte_order =
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

/// A file from which only parts are read, because those with debugging information are large.
class PartsOfFile {
 public:
  explicit PartsOfFile(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return;
    size_ = std::filesystem::file_size(path, error);
    if (error) size_ = 0;
    file_.open(path, std::ios::binary);
  }

  /// Returns the elements at a position; none if the file does not contain all of them, or if they are more
  /// than a program has: a sparse file may claim any size.
  template <class Element>
  std::vector<Element> read(std::uint64_t position, std::uint64_t count) {
    constexpr std::uint64_t max_bytes = std::uint64_t{1} << 30;
    if (position > size_ || count > std::min(size_ - position, max_bytes) / sizeof(Element)) return {};
    std::vector<Element> elements(count);
    file_.seekg(static_cast<std::streamoff>(position));
    file_.read(reinterpret_cast<char*>(elements.data()),
               static_cast<std::streamsize>(count * sizeof(Element)));
    return file_ ? elements : std::vector<Element>();
  }

 private:
  std::ifstream file_;
  std::uint64_t size_ = 0;
};

bool is_of_this_processor(const Header& header) {
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == elf_class &&
         header.e_ident[EI_DATA] == elf_byte_order && header.e_shentsize == sizeof(Section);
}

}  // namespace

ElfSymbols::ElfSymbols(const std::string& path) {
  PartsOfFile file(path);
  const std::vector<Header> header = file.read<Header>(0, 1);
  if (header.empty() || !is_of_this_processor(header[0])) return;
  const std::vector<Section> sections = file.read<Section>(header[0].e_shoff, header[0].e_shnum);
  auto table = std::ranges::find(sections, ElfW(Word){SHT_SYMTAB}, &Section::sh_type);
  if (table == sections.end()) table = std::ranges::find(sections, ElfW(Word){SHT_DYNSYM}, &Section::sh_type);
  if (table == sections.end() || table->sh_link >= sections.size()) return;
  const Section& strings = sections[table->sh_link];
  const std::vector<char> names = file.read<char>(strings.sh_offset, strings.sh_size);
  names_.assign(names.begin(), names.end());
  for (const SymbolEntry& entry :
       file.read<SymbolEntry>(table->sh_offset, table->sh_size / sizeof(SymbolEntry))) {
    const bool is_function = (entry.st_info & 0xf) == STT_FUNC && entry.st_shndx != SHN_UNDEF;
    if (is_function && entry.st_size > 0 && entry.st_name < names_.size())
      symbols_.push_back({entry.st_value, entry.st_size, entry.st_name});
  }
  std::ranges::stable_sort(symbols_, {}, &Symbol::address);
}

std::optional<ElfSymbols::Function> ElfSymbols::function_at(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(symbols_, address, {}, &Symbol::address);
  if (after == symbols_.begin()) return std::nullopt;
  const Symbol& symbol = *(after - 1);
  if (address - symbol.address >= symbol.size) return std::nullopt;
  return Function{names_.c_str() + symbol.name, symbol.address};
}

}  // namespace plimsoll::collectives
