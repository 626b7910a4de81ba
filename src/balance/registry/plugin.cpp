#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include <plimsoll/balance/limits.hpp>
#include <plimsoll/balance/plugin.hpp>
#include <plimsoll/support/internal/loaded_library.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "balance/registry/foreign_strategies.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

std::span<const ForeignStrategy> foreign_strategies() {
  constexpr std::string_view graph = "use GraphPartLB, or the plug-in libZoltanLB.so";
  static constexpr ForeignStrategy table[] = {
      {"OfflineLB", "vt", "use PrescribedLB"},
      {"ZoltanLB", "vt and Charm++", "specify the path of the plug-in libZoltanLB.so, or use GraphPartLB"},
      {"DistributedLB", "Charm++", "use TemperedLB, or RefineLB"},
      {"HybridLB", "Charm++", "use HierarchicalLB"},
      {"NeighborLB", "Charm++", "use RefineLB"},
      {"RefineKLB", "Charm++", "use RefineLB"},
      {"ScotchTopoLB", "Charm++", "use GraphPartLB"},
      {"TreeLB", "Charm++", "use GreedyLB, GreedyRefineLB or HierarchicalLB"},
      {"BruteForce", "LBAF", "use OptimalLB"},
      {"CentralizedPrefixOptimizer", "LBAF", "use ClusterLB"},
      {"InformAndTransfer", "LBAF",
       "use TemperedLB; set transfer=SwapClusters for transfer_strategy Clustering"},
      {"PhaseStepper", "LBAF", "use 'plimsoll info'"},
      {"GRAPH", "Zoltan", graph},
      {"HSFC", "Zoltan", "use SpaceFillingCurveLB"},
      {"HYPERGRAPH", "Zoltan", graph},
      {"RCB", "Zoltan", "use OrbLB"},
      {"RIB", "Zoltan", "use OrbLB"},
  };
  return table;
}

namespace {

using support::bad_input;

constexpr const char* rebuild = "rebuild the plug-in against the installed Plimsoll";

/// Calls code of a plug-in, and converts every exception to an Error that names the plug-in and the cause.
template <typename Call>
auto guarded(const std::string& path, const char* function, Call&& call) {
  try {
    return call();
  } catch (const Error& error) {
    Diagnostic diagnostic = error.diagnostic();
    diagnostic.what = fmt::format("plug-in {}: {}", path, diagnostic.what);
    throw Error(error.kind(), std::move(diagnostic));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& exception) {
    throw bad_input(
        fmt::format("{} of this plug-in threw {}", function, support::in_quotes(exception.what())), path);
  } catch (...) {
    throw bad_input(
        fmt::format("{} of this plug-in threw an exception that is not derived from std::exception",
                    function),
        path);
  }
}

/// Throws Error (bad_input) unless `to_proc` satisfies the requirements on the placements of all strategies.
void check_placement(const LDStats& stats, const std::vector<std::int32_t>& to_proc,
                     const std::string& path) {
  if (to_proc.size() != stats.from_proc.size())
    throw bad_input(fmt::format("this plug-in set {} entries in to_proc for {} objects", to_proc.size(),
                                stats.from_proc.size()),
                    path, "call convert_decisions() at the end of work()");
  for (std::size_t object = 0; object < to_proc.size(); ++object) {
    const std::int32_t from = stats.from_proc[object];
    const std::int32_t to = to_proc[object];
    if (to < 0 || to >= stats.count())
      throw bad_input(
          fmt::format("this plug-in placed object {} on processor {}, but LDStats has only {} processors",
                      object, to, stats.count()),
          path);
    if (!stats.obj_data[object].migratable) {
      if (to != from)
        throw bad_input(fmt::format("this plug-in moved object {}, which is not migratable", object), path);
    } else if (!stats.procs[static_cast<std::size_t>(to)].available) {
      throw bad_input(fmt::format("this plug-in {} object {} on processor {}, which is not available",
                                  to == from ? "left" : "placed", object, to),
                      path);
    }
  }
}

/// Wrapper of a plug-in's strategy that checks its placements and converts its exceptions to Errors.
class PluginStrategy : public Strategy {
 public:
  PluginStrategy(std::string path, std::string name, const Parameters& parameters,
                 std::unique_ptr<Strategy> strategy)
      : Strategy(std::move(name), parameters), path_(std::move(path)), strategy_(std::move(strategy)) {}

  void work(LDStats& stats) override {
    LDStats seen = stats;
    guarded(path_, "work()", [&] { strategy_->work(seen); });
    check_placement(stats, seen.to_proc, path_);
    stats.to_proc = std::move(seen.to_proc);
  }

  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return guarded(path_, "score()", [&] { return strategy_->score(stats, placement); });
  }
  ScoreTerms score_terms() const override {
    return guarded(path_, "score_terms()", [&] { return strategy_->score_terms(); });
  }
  std::vector<Remark> remarks() const override {
    return guarded(path_, "remarks()", [&] { return strategy_->remarks(); });
  }

 private:
  std::string path_;
  std::unique_ptr<Strategy> strategy_;
};

/// Throws Error unless the file is a complete ELF shared object. For a truncated file, the dynamic linker
/// would map missing pages, and the program would crash.
void check_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw bad_input("not a plug-in: expected a file", path);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw support::system_error("cannot open this plug-in", path, errno);
  ElfW(Ehdr) header{};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  if (!file || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_type != ET_DYN)
    throw bad_input("not a shared library", path);
  // Check the section headers, which linkers write at the end of a file.
  const auto size = std::filesystem::file_size(path);
  const std::uint64_t section_headers = std::uint64_t{header.e_shnum} * header.e_shentsize;
  if (header.e_shoff > size || section_headers > size - header.e_shoff)
    throw bad_input("truncated shared library", path, "rebuild it or copy it again");
}

const StrategyPlugin& describe(const std::string& path) {
  check_file(path);
  // Use an absolute path: the linker searches for a path without '/' in the system's directories.
  const std::string absolute = std::filesystem::absolute(path);
  support::LoadedLibrary library(absolute, support::SymbolChoice::of_program);
  if (!library.is_usable()) {
    std::string_view cause = library.failure();
    support::take(cause, absolute + ": ");
    throw bad_input(fmt::format("cannot load this plug-in: {}", cause), path);
  }
  const StrategyPlugin* (*const entry_point)() = library.function(plugin_entry_point);
  const StrategyPlugin* plugin = entry_point != nullptr ? entry_point() : nullptr;
  if (plugin == nullptr)
    throw bad_input("not a plug-in: the shared library contains no strategy", path,
                    "use PLIMSOLL_STRATEGY_PLUGIN(Class) at the end of its source");
  return *plugin;
}

struct OurSide {
  static StrategyInfo info() { return {}; }
};

void check_agreement(const StrategyPlugin& plugin, const std::string& path) {
  constexpr StrategyPlugin ours = strategy_plugin<OurSide>();
  if (plugin.interface_version != ours.interface_version)
    throw bad_input(fmt::format("this plug-in uses interface version {}, but this Plimsoll uses {}",
                                plugin.interface_version, ours.interface_version),
                    path, rebuild);
  if (std::string_view(plugin.real_type) != ours.real_type)
    throw bad_input(fmt::format("this plug-in uses loads of type {}, but this Plimsoll uses {} (LBRealType)",
                                plugin.real_type, ours.real_type),
                    path, rebuild);
  if (std::string_view(plugin.abi) != ours.abi)
    throw bad_input(fmt::format("this plug-in was built for {}, but this Plimsoll was built for {}",
                                plugin.abi, ours.abi),
                    path, "use the same compiler options for both and rebuild");
  for (std::size_t type = 0; type < ours.sizes.size(); ++type)
    if (plugin.sizes[type].size_bytes != ours.sizes[type].size_bytes)
      throw bad_input(
          fmt::format("size mismatch of {}: {} bytes in this plug-in, but {} in this Plimsoll",
                      ours.sizes[type].type, plugin.sizes[type].size_bytes, ours.sizes[type].size_bytes),
          path, rebuild);
}

void check_info(const StrategyInfo& info, const std::string& path) {
  if (info.name.empty()) throw bad_input("info() of this plug-in does not set the strategy's name", path);
  if (!info.make) throw bad_input("info() of this plug-in does not set make()", path);
  for (const ParameterSpec& limit : Limits::parameters()) {
    const auto own = std::ranges::find(info.parameters, limit.name, &ParameterSpec::name);
    if (own != info.parameters.end() && own->default_value.index() != limit.default_value.index())
      throw bad_input(
          fmt::format("parameter {} of this plug-in has type {}: expected type {}, as in every strategy",
                      limit.name, type_name(own->default_value), type_name(limit.default_value)),
          path, "rename it");
  }
}

}  // namespace

StrategyInfo load_strategy_plugin(const std::filesystem::path& file) {
  const std::string path = file.string();
  if (!support::can_load_libraries())
    throw support::usage_error(
        "this Plimsoll is statically linked, and cannot load plug-ins", path,
        "use a strategy that plimsoll strategies lists, or build Plimsoll with scripts/install");
  const StrategyPlugin& plugin = describe(path);
  check_agreement(plugin, path);
  StrategyInfo info;
  guarded(path, "info()", [&] { plugin.get_info(info); });
  check_info(info, path);
  info.make = [path, name = info.name, make = std::move(info.make)](const Parameters& parameters) {
    std::unique_ptr<Strategy> strategy = guarded(path, "make()", [&] { return make(parameters); });
    if (!strategy) throw bad_input("make() of this plug-in returned no strategy", path);
    return std::make_unique<PluginStrategy>(path, name, parameters, std::move(strategy));
  };
  return info;
}

}  // namespace plimsoll::balance
