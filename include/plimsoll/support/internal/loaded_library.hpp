#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Symbols that a loaded library uses if the program defines them too.
enum class SymbolChoice {
  own,  ///< for libraries in C: the program may contain another version of the same library
  /// For libraries that share variables with the program, such as std::cout or MPI's predefined handles: the
  /// copies in the program are the valid ones.
  of_program,
};

/// Returns whether this program can load shared libraries. A statically linked program cannot, because they
/// would load a second C library.
bool can_load_libraries();

/// Shared library of another project that is loaded when it is first needed. The program does not see its
/// symbols. It stays loaded until the process ends.
class LoadedLibrary {
 public:
  /// Address of a function, which the variable that receives it gives a type.
  struct Symbol {
    void* address = nullptr;
    template <class Function>
    operator Function*() const {  // NOLINT(google-explicit-constructor): the variable determines the type
      return reinterpret_cast<Function*>(address);
    }
  };

  /// Loads the library at `path`. If it does not exist there, loads the one of the same name that the dynamic
  /// linker finds.
  explicit LoadedLibrary(const std::string& path, SymbolChoice choice = SymbolChoice::own);

  /// Returns a function of the library, null if it does not exist.
  Symbol function(const char* name);

  /// Returns whether the library was loaded and contains all functions that were requested.
  bool is_usable() const { return failure_.empty(); }

  /// Returns why the library is not usable; empty if it is.
  const std::string& failure() const { return failure_; }

  /// Throws Error (system) unless is_usable(). `name` is the library's name for the message.
  void expect_usable(const std::string& name, const std::string& suggestion) const;

 private:
  void* library_ = nullptr;
  std::string failure_;  ///< empty without a failure
};

/// In a structure with a LoadedLibrary `library`: declares the member `name`, the function <prefix><name> of
/// it.
#define PLIMSOLL_LOADED_FUNCTION(prefix, name) decltype(&prefix##name) name = library.function(#prefix #name)

/// Returns the path of a library that belongs to this installation, or nothing if it does not exist. An
/// installed tree may have been moved: searches next to this code, LD_LIBRARY_PATH, and last the configured
/// prefix. `build_folders` are the directories below src/ that contain the library in a build tree.
std::optional<std::string> find_own_library(const std::string& name,
                                            std::initializer_list<const char*> build_folders);

}  // namespace plimsoll::support
