#pragma once

// For a strategy of your own in a shared library: derive from Strategy, end with PLIMSOLL_STRATEGY_PLUGIN,
// and give the library to `plimsoll balance --strategy`. examples/strategy is a complete one,
// docs/write-a-strategy.md the manual.

#include <array>
#include <cstdint>
#include <filesystem>

#include <plimsoll/balance/obj_graph.hpp>
#include <plimsoll/balance/proc_array.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/balance/strategy_registry.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::inline v0_1::balance {

/// Size of a type of which objects are handed from one side to the other.
struct PluginTypeSize {
  const char* type;
  std::uint32_t size_bytes;
};

/// What the entry point of a plug-in returns. Plain data, and complete before any C++ of the plug-in runs, so
/// that a plug-in that was built otherwise than its user is refused rather than called.
struct StrategyPlugin {
  /// Rises with every change of this struct or of the types of `sizes` that their sizes do not show.
  static constexpr std::uint32_t current_version = 1;
  static constexpr std::size_t n_types = 16;

  std::uint32_t interface_version;  ///< always first: nothing else is read if it is another
  const char* real_type;            ///< LBRealType
  const char* abi;                  ///< what the compiler and the standard library agreed on
  std::array<PluginTypeSize, n_types> sizes;
  void (*get_info)(StrategyInfo& info);
};

/// Name of the one symbol that a plug-in exports, `extern "C" const StrategyPlugin* ()`.
inline constexpr const char* plugin_entry_point = "plimsoll_strategy_plugin";

#define PLIMSOLL_TEXT_(text) #text
#define PLIMSOLL_TEXT_OF_(macro) PLIMSOLL_TEXT_(macro)

/// What has to be the same for containers and exceptions to cross.
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

/// The description of a plug-in of `Class`, as it is on the side that instantiates it.
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

/// Makes a shared library a plug-in: `Class` is a Strategy with `static StrategyInfo info()`. Once in a
/// library, outside any function.
#define PLIMSOLL_STRATEGY_PLUGIN(Class)                                                        \
  extern "C" __attribute__((visibility("default"))) const ::plimsoll::balance::StrategyPlugin* \
  plimsoll_strategy_plugin() {                                                                 \
    static constexpr ::plimsoll::balance::StrategyPlugin plugin =                              \
        ::plimsoll::balance::strategy_plugin<Class>();                                         \
    return &plugin;                                                                            \
  }

/// Loads a plug-in, for as long as the program runs. Its strategy works on a copy of the LDStats, of which
/// only a to_proc that keeps what every strategy promises is taken over.
///
/// Throws Error: system if the file cannot be read; bad_input if it is no shared library, no plug-in, one
/// that was built for another interface, LBRealType or ABI, or if its info() throws or is not usable. The
/// strategies made throw Error (bad_input) if the plug-in throws or decides what is not possible; an Error
/// that it throws itself keeps its kind and gets the plug-in's path.
StrategyInfo load_strategy_plugin(const std::filesystem::path& path);

}  // namespace plimsoll::balance
