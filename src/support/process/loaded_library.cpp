#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/loaded_library.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

namespace {

namespace fs = std::filesystem;

constexpr bool is_static = PLIMSOLL_STATIC;

// Sanitisers do not support RTLD_DEEPBIND.
#if defined(PLIMSOLL_SANITISED) || !defined(RTLD_DEEPBIND)
constexpr int own_symbols_first = 0;
#else
constexpr int own_symbols_first = RTLD_DEEPBIND;
#endif

std::string linker_error() {
  const char* const message = ::dlerror();
  return message != nullptr ? message : "unknown error";
}

/// Returns the shared library that contains this code; empty if it is linked into the program.
fs::path library_of_this_code() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&library_of_this_code), &info) == 0) return {};
  const std::string_view file = info.dli_fname;  // argv[0] if the code is in the program itself
  return file.find(".so") == std::string_view::npos ? fs::path() : fs::path(file);
}

/// Returns the directories that may contain libraries of this installation, the most likely first.
std::vector<fs::path> own_folders(std::initializer_list<const char*> build_folders) {
  std::vector<fs::path> folders;
  std::error_code code;
  for (const fs::path& file : {library_of_this_code(), fs::read_symlink("/proc/self/exe", code)}) {
    const fs::path folder = file.parent_path();
    if (folder.empty()) continue;
    folders.push_back(folder);
    for (const char* const name : {PLIMSOLL_INSTALL_LIBDIR, "lib", "lib64"})
      folders.push_back(folder / ".." / name);
    for (const char* const name : build_folders) folders.push_back(folder / ".." / name);
  }
  if (const char* const list = std::getenv("LD_LIBRARY_PATH"))
    for (const std::string_view folder : split(list, ':'))
      if (!folder.empty()) folders.emplace_back(folder);
  folders.emplace_back(PLIMSOLL_INSTALL_FULL_LIBDIR);
  return folders;
}

}  // namespace

bool can_load_libraries() {
  return !is_static;
}

LoadedLibrary::LoadedLibrary(const std::string& path, SymbolChoice choice) {
  if (is_static) {
    failure_ = "this Plimsoll is statically linked";
    return;
  }
  std::error_code code;
  const std::string name = fs::exists(path, code) ? path : fs::path(path).filename().string();
  library_ =
      ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | (choice == SymbolChoice::own ? own_symbols_first : 0));
  if (library_ == nullptr) failure_ = linker_error();
}

LoadedLibrary::Symbol LoadedLibrary::function(const char* name) {
  if (library_ == nullptr) return {};
  void* const address = ::dlsym(library_, name);
  if (address == nullptr) failure_ = linker_error();
  return {address};
}

void LoadedLibrary::expect_usable(const std::string& name, const std::string& suggestion) const {
  if (is_usable()) return;
  throw Error(ErrorKind::system, {.what = "cannot load " + name + ": " + failure_, .suggestion = suggestion});
}

std::optional<std::string> find_own_library(const std::string& name,
                                            std::initializer_list<const char*> build_folders) {
  std::error_code code;
  for (const fs::path& folder : own_folders(build_folders))
    if (fs::exists(folder / name, code)) return fs::canonical(folder / name).string();
  return std::nullopt;
}

}  // namespace plimsoll::support
