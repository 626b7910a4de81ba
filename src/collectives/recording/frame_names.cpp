#include <fmt/format.h>
#include <link.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include <plimsoll/collectives/internal/frame_names.hpp>
#include <plimsoll/support/internal/loaded_library.hpp>
#include <plimsoll/support/internal/text.hpp>

#ifdef PLIMSOLL_HAS_LIBDWFL
#include <elfutils/libdwfl.h>
#endif

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

struct FrameName {
  std::string function;  ///< empty if unknown
  std::uint64_t offset_in_function = 0;
  std::string file;  ///< empty if unknown
  int line = 0;
};

}  // namespace

#ifdef PLIMSOLL_HAS_LIBDWFL

namespace {

/// Functions of libdw that are looked up in the library at run time.
class LibDw {
  support::LoadedLibrary library_{"libdw.so.1"};

 public:
  static const LibDw& instance() {
    static const LibDw library;
    return library;
  }

  /// Returns whether the library exists and has all these functions.
  bool found() const { return library_.is_usable(); }

  decltype(&dwfl_begin) begin = library_.function("dwfl_begin");
  decltype(&dwfl_end) end = library_.function("dwfl_end");
  decltype(&dwfl_report_offline) report_offline = library_.function("dwfl_report_offline");
  decltype(&dwfl_report_end) report_end = library_.function("dwfl_report_end");
  decltype(&dwfl_module_getelf) module_getelf = library_.function("dwfl_module_getelf");
  decltype(&dwfl_module_addrinfo) module_addrinfo = library_.function("dwfl_module_addrinfo");
  decltype(&dwfl_module_getsrc) module_getsrc = library_.function("dwfl_module_getsrc");
  decltype(&dwfl_lineinfo) lineinfo = library_.function("dwfl_lineinfo");
  decltype(&dwfl_build_id_find_elf) find_elf = library_.function("dwfl_build_id_find_elf");
  decltype(&dwfl_build_id_find_debuginfo) find_debuginfo = library_.function("dwfl_build_id_find_debuginfo");
  decltype(&dwfl_offline_section_address) section_address = library_.function("dwfl_offline_section_address");

 private:
  LibDw() = default;
};

}  // namespace

class FrameNames::Module {
 public:
  explicit Module(const std::string& path) {
    std::error_code ignored;
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

  FrameName name_of(std::uint64_t return_offset) const {
    FrameName name;
    if (module_ == nullptr || return_offset == 0) return name;
    const GElf_Addr call = return_offset - 1 + bias_;
    GElf_Off offset = 0;
    GElf_Sym symbol;
    const char* const function =
        library_.module_addrinfo(module_, call, &offset, &symbol, nullptr, nullptr, nullptr);
    // Line numbers outside functions belong to code that the linker removed.
    if (function == nullptr) return name;
    name.function = function;
    if (name.function.starts_with("_Z")) name.function = support::demangled(name.function);
    name.offset_in_function = offset + 1;
    // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): without all its functions, the library is not used
    Dwfl_Line* const line = library_.module_getsrc(module_, call);
    const char* const file =
        line == nullptr ? nullptr : library_.lineinfo(line, nullptr, &name.line, nullptr, nullptr, nullptr);
    if (file != nullptr) name.file = file;
    return name;
  }

 private:
  struct End {
    // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): without all its functions, the library is not used
    void operator()(Dwfl* session) const { LibDw::instance().end(session); }
  };

  const LibDw& library_ = LibDw::instance();
  Dwfl_Callbacks callbacks_ = {};
  std::unique_ptr<Dwfl, End> session_;
  Dwfl_Module* module_ = nullptr;  // null if the file cannot be read
  GElf_Addr bias_ = 0;             // difference between session addresses and file addresses
};

#else

class FrameNames::Module {
 public:
  explicit Module(const std::string&) {}
  FrameName name_of(std::uint64_t) const { return {}; }
};

#endif

FrameNames::FrameNames() = default;
FrameNames::~FrameNames() = default;

FrameNames::Module& FrameNames::module(const std::string& path) {
  auto& module = modules_[path];
  if (!module) module = std::make_unique<Module>(path);
  return *module;
}

std::string FrameNames::describe(const std::string& module_path, std::uint64_t offset) {
  const FrameName name = module(module_path).name_of(offset);
  std::string text = module_path;
  if (!name.function.empty()) text += fmt::format("({}+0x{:x})", name.function, name.offset_in_function);
  text += fmt::format(" [0x{:x}]", offset);
  if (!name.file.empty()) text += fmt::format(" {}:{}", name.file, name.line);
  return text;
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
