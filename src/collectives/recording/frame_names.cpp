#include <fmt/format.h>
#include <link.h>

#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <plimsoll/collectives/internal/frame_names.hpp>
#include <plimsoll/support/internal/loaded_library.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "collectives/recording/elf_symbols.hpp"

#ifdef PLIMSOLL_HAS_LIBDWFL
#include "collectives/recording/declaration_lines.hpp"
#include "collectives/recording/libdw.hpp"
#endif

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

std::string name_in_source(const char* symbol) {
  return std::string_view(symbol).starts_with("_Z") ? support::demangled(symbol) : symbol;
}

/// Names the call that returns to an address of a file, without its line.
SourcePlace place_by_symbols(const ElfSymbols& symbols, std::uint64_t return_offset) {
  const auto function = return_offset == 0 ? std::nullopt : symbols.function_at(return_offset - 1);
  if (!function) return {};
  return {.function = name_in_source(function->name.c_str()),
          .offset_in_function = return_offset - function->address};
}

}  // namespace

#ifdef PLIMSOLL_HAS_LIBDWFL

class FrameNames::Module {
 public:
  explicit Module(const std::string& path) {
    std::error_code ignored;
    if (!library_.found()) symbols_.emplace(path);
    if (!library_.found() || !std::filesystem::is_regular_file(path, ignored)) return;
    callbacks_.find_elf = library_.find_elf;
    // Avoid dwfl_standard_find_debuginfo, which may query a server.
    callbacks_.find_debuginfo = library_.find_debuginfo;
    callbacks_.section_address = library_.section_address;
    session_.reset(library_.begin(&callbacks_));
    if (!session_) return;
    module_ = library_.report_offline(session_.get(), path.c_str(), path.c_str(), -1);
    library_.report_end(session_.get(), nullptr, nullptr);
    if (module_ != nullptr && library_.module_getelf(module_, &bias_) == nullptr) module_ = nullptr;
  }

  SourcePlace place_of(std::uint64_t return_offset) {
    if (symbols_) return place_by_symbols(*symbols_, return_offset);
    SourcePlace place;
    if (module_ == nullptr || return_offset == 0) return place;
    const GElf_Addr call = return_offset - 1 + bias_;
    GElf_Off offset = 0;
    GElf_Sym symbol;
    const char* const function =
        library_.module_addrinfo(module_, call, &offset, &symbol, nullptr, nullptr, nullptr);
    // Line numbers outside functions belong to code that the linker removed.
    if (function == nullptr) return place;
    place.function = name_in_source(function);
    place.offset_in_function = offset + 1;
    const auto [file, line] = line_of(call);
    if (file == nullptr || line == 0) return place;
    place.file = file;
    place.line = line;
    Dwarf_Addr bias = 0;
    // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): without all its functions, the library is not used
    if (Dwarf_Die* const unit = library_.module_addrdie(module_, call, &bias)) {
      place.may_be_line_of_outer_statement = has_lines_of_outer_statements(*unit);
      place.is_line_of_function =
          place.may_be_line_of_outer_statement && line == declarations_.line_of_function(*unit, call - bias);
    }
    return place;
  }

 private:
  struct End {
    // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): without all its functions, the library is not used
    void operator()(Dwfl* session) const { LibDw::instance().end(session); }
  };

  struct Line {
    const char* file = nullptr;  ///< null if unknown
    int line = 0;
  };

  Line line_of(GElf_Addr address) const {
    Line found;
    // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): without all its functions, the library is not used
    Dwfl_Line* const line = library_.module_getsrc(module_, address);
    if (line != nullptr)
      found.file = library_.lineinfo(line, nullptr, &found.line, nullptr, nullptr, nullptr);
    return found;
  }

  const LibDw& library_ = LibDw::instance();
  std::optional<ElfSymbols> symbols_;  // without libdw
  Dwfl_Callbacks callbacks_ = {};
  std::unique_ptr<Dwfl, End> session_;
  Dwfl_Module* module_ = nullptr;  // null if the file cannot be read
  DeclarationLines declarations_;
  GElf_Addr bias_ = 0;  // difference between session addresses and file addresses
};

#else

class FrameNames::Module {
 public:
  explicit Module(const std::string& path) : symbols_(path) {}
  SourcePlace place_of(std::uint64_t return_offset) const {
    return place_by_symbols(symbols_, return_offset);
  }

 private:
  ElfSymbols symbols_;
};

#endif

FrameNames::FrameNames() = default;
FrameNames::~FrameNames() = default;

FrameNames::Module& FrameNames::module(const std::string& path) {
  auto& module = modules_[path];
  if (!module) module = std::make_unique<Module>(path);
  return *module;
}

SourcePlace FrameNames::place_of(const CodeAddress& code) {
  return module(code.module_path).place_of(code.offset);
}

std::string FrameNames::describe(const std::string& module_path, std::uint64_t offset) {
  const CodeAddress code = {module_path, offset};
  return to_text(code, place_of(code));
}

std::string to_text(const CodeAddress& code, const SourcePlace& place) {
  std::string text = code.module_path;
  if (!place.function.empty()) text += fmt::format("({}+0x{:x})", place.function, place.offset_in_function);
  text += fmt::format(" [0x{:x}]", code.offset);
  if (!place.file.empty()) text += fmt::format(" {}:{}", place.file, place.line);
  return text;
}

std::string without_clone(const std::string& function) {
  const std::size_t clone = function.find(" [clone ");  // in C++
  if (clone != std::string::npos) return function.substr(0, clone);
  const bool is_symbol = function.find_first_of("( <") == std::string::npos;
  return is_symbol ? function.substr(0, function.find('.', 1)) : function;
}

std::optional<CodeAddress> module_of(const void* address) {
  Dl_info symbol;
  link_map* loaded = nullptr;
  if (::dladdr1(address, &symbol, reinterpret_cast<void**>(&loaded), RTLD_DL_LINKMAP) == 0 ||
      loaded == nullptr)
    return std::nullopt;
  std::error_code ignored;
  std::string path = loaded->l_name;
  if (path.empty()) {  // the program itself
    path = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
  } else if (path.find('/') != std::string::npos) {
    path = std::filesystem::absolute(path, ignored).string();
  }
  return CodeAddress{std::move(path), reinterpret_cast<std::uintptr_t>(address) - loaded->l_addr};
}

}  // namespace plimsoll::collectives
