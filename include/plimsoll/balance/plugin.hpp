#pragma once

// Interface for custom strategies in a shared library. Derive from Strategy, end with
// PLIMSOLL_STRATEGY_PLUGIN, and pass the library to `plimsoll balance --strategy`. See examples/strategy for
// a complete example, and docs/how-to/write-a-strategy.md for the manual.

#include <array>
#include <cstdint>
#include <filesystem>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Size of a type whose objects cross the plug-in interface.
struct PluginTypeSize {
  const char* type;
  std::uint32_t size_bytes;
};

/// Data that the entry point of a plug-in returns. It is plain data, so that Plimsoll can reject a plug-in
/// that was built with another configuration before any C++ code of the plug-in runs.
struct StrategyPlugin {
  /// Version of the interface. It increases with every change of this struct, and with every change of the
  /// types in `sizes` that does not change their sizes.
  static constexpr std::uint32_t current_version = 4;
  static constexpr std::size_t n_types = 16;

  /// Always the first member: if the version differs, no other member is read.
  std::uint32_t interface_version;
  const char* real_type;  ///< name of LBRealType
  const char* abi;        ///< ABI of the compiler and the standard library
  std::array<PluginTypeSize, n_types> sizes;
  void (*get_info)(StrategyInfo& info);
};

/// Name of the only symbol that a plug-in exports, `extern "C" const StrategyPlugin* ()`.
inline constexpr const char* plugin_entry_point = "plimsoll_strategy_plugin";

#define PLIMSOLL_TEXT_(text) #text
#define PLIMSOLL_TEXT_OF_(macro) PLIMSOLL_TEXT_(macro)

/// ABI properties that must match, so that containers and exceptions can cross the interface.
inline constexpr const char* plugin_abi =
#if defined(_LIBCPP_ABI_VERSION)
    "libc++ ABI " PLIMSOLL_TEXT_OF_(_LIBCPP_ABI_VERSION)
#elif defined(__GLIBCXX__)
    "libstdc++ CXX11_ABI=" PLIMSOLL_TEXT_OF_(_GLIBCXX_USE_CXX11_ABI)
#ifdef _GLIBCXX_DEBUG
        " _GLIBCXX_DEBUG"
#endif
#endif
        ", pointers of " PLIMSOLL_TEXT_OF_(__SIZEOF_POINTER__) " bytes";

/// Description of a plug-in of `Class`, as compiled on the side that instantiates it.
template <typename Class>
constexpr StrategyPlugin strategy_plugin() {
  return {StrategyPlugin::current_version,
          PLIMSOLL_TEXT_OF_(PLIMSOLL_LB_REAL_TYPE),
          plugin_abi,
          {{{"LDStats", sizeof(LDStats)},
            {"ProcStats", sizeof(ProcStats)},
            {"LDObjData", sizeof(LDObjData)},
            {"LDCommData", sizeof(LDCommData)},
            {"LoadDimension", sizeof(LoadDimension)},
            {"ObjMemory", sizeof(ObjMemory)},
            {"SharedBlock", sizeof(SharedBlock)},
            {"Score", sizeof(Score)},
            {"Strategy", sizeof(Strategy)},
            {"StrategyInfo", sizeof(StrategyInfo)},
            {"StrategyNeeds", sizeof(StrategyNeeds)},
            {"StrategyAlias", sizeof(StrategyAlias)},
            {"Parameters", sizeof(Parameters)},
            {"ParameterSpec", sizeof(ParameterSpec)},
            {"ParameterValue", sizeof(ParameterValue)},
            {"Error", sizeof(Error)}}},
          [](StrategyInfo& info) { info = Class::info(); }};
}

/// Turns a shared library into a plug-in. `Class` is a Strategy with `static StrategyInfo info()`. Use it
/// once per library, outside any function.
#define PLIMSOLL_STRATEGY_PLUGIN(Class)                                                        \
  extern "C" __attribute__((visibility("default"))) const ::plimsoll::balance::StrategyPlugin* \
  plimsoll_strategy_plugin() {                                                                 \
    static constexpr ::plimsoll::balance::StrategyPlugin plugin =                              \
        ::plimsoll::balance::strategy_plugin<Class>();                                         \
    return &plugin;                                                                            \
  }

/// Loads a plug-in for the lifetime of the program. Its strategy works on a copy of the LDStats. Plimsoll
/// uses the resulting to_proc only if it satisfies the requirements for every strategy.
///
/// Throws Error (system) if the file cannot be read. Throws Error (bad_input) if it is not a shared library
/// or not a plug-in, or was built for another interface, LBRealType or ABI. Also throws Error (bad_input) if
/// its info() throws or is invalid. The strategies throw Error (bad_input) if the plug-in throws or returns
/// an invalid placement. An Error that the plug-in throws keeps its kind and gets the plug-in's path.
StrategyInfo load_strategy_plugin(const std::filesystem::path& path);

}  // namespace plimsoll::balance
