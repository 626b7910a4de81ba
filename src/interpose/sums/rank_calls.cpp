#include "interpose/sums/rank_calls.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include <plimsoll/support/internal/process.hpp>

#include "interpose/callers/python_frames.hpp"
#include "interpose/lifecycle/packed_values.hpp"
#include "interpose/sums/processor_time.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

using collectives::CallsOfStack;

/// Returns the module of a return address and the address there; "unknown" if the module was unloaded.
collectives::CodeAddress code_address(std::uintptr_t return_address) {
  return collectives::module_of(reinterpret_cast<const void*>(return_address))
      .value_or(collectives::CodeAddress{"unknown", return_address});
}

/// Returns the number of a module; adds it if it is new. Programs have a few modules only.
std::uint32_t number_of(const std::string& path, std::vector<std::string>& modules) {
  const auto number = static_cast<std::uint32_t>(std::ranges::find(modules, path) - modules.begin());
  if (number == modules.size()) modules.push_back(path);
  return number;
}

/// Returns the calls by their callers, in sums over the threads. `waits` contains the waiting by stack and
/// function.
std::vector<CallsOfStack> callers_of_this_rank(WaitTable& waits, std::vector<std::string>& modules) {
  std::map<std::pair<Function, std::vector<std::uintptr_t>>, CallerSums> sums;
  for (const ThreadRecord* const thread : all_thread_records())
    thread->callers().for_each([&](std::uint64_t stack, Function function,
                                   const std::vector<std::uintptr_t>& addresses, const CallerSums& calls) {
      CallerSums& of_stack = sums[{function, addresses}];
      of_stack.add(calls);
      of_stack.waits.add(waits[{stack, static_cast<std::uint32_t>(function)}]);
    });
  std::map<std::uintptr_t, CallsOfStack::Address> known;
  const auto address_of = [&](std::uintptr_t address) {
    const auto [found, is_new] = known.try_emplace(address);
    if (is_new) {
      const auto python = python_code(address);
      const auto code = python ? *python : code_address(address);
      found->second = {number_of(code.module_path, modules), code.offset};
    }
    return found->second;
  };
  std::vector<CallsOfStack> stacks;
  for (const auto& [stack, calls] : sums) {
    CallsOfStack& own = stacks.emplace_back();
    own.function = static_cast<std::uint32_t>(stack.first);
    own.sums = calls;
    for (const std::uintptr_t address : stack.second)
      if (own.depth < own.addresses.size()) own.addresses[own.depth++] = address_of(address);
  }
  return stacks;
}

std::vector<std::string> names_of_functions() {
  return {std::begin(function_names), std::end(function_names)};
}

/// Applies `use` to the members that differ between ranks.
void for_each_member(auto& calls, auto&& use) {
  use(calls.host);
  use(calls.cores);
  use(calls.process);
  use(calls.modules);
  use(calls.sites);
  use(calls.of_functions);
  use(calls.messages);
  use(calls.parts);
  use(calls.region_names);
  use(calls.callers);
}

}  // namespace

RankCalls calls_of_this_rank(const RunParts& run, const collectives::ProcessorTime& processors, Waits waits) {
  std::uint32_t threads = 0;
  ThreadRecord::Sites sites;
  ThreadRecord::Functions functions;
  ThreadRecord::Messages messages;
  RankCalls::Parts parts = {.recorded = run.recorded,
                            .mpi = {},
                            .waited = waits.parts,
                            .ideal_windows = {},
                            .ideal_regions_ns = {}};
  for (const ThreadRecord* const thread : all_thread_records()) {
    bool has_calls = false;
    thread->sites().for_each([&](const auto& key, const SiteRecord& site) {
      sites[key].add(site);
      has_calls = true;
    });
    threads += has_calls;
    thread->messages().for_each([&](const auto& key, const MessageSums& sums) { messages[key].add(sums); });
    thread->functions().for_each([&](const auto& key, const FunctionSums& sums) {
      functions[key].add(sums);
      parts.mpi.windows.add(sums.windows);
    });
    for (std::size_t region = 0; region < thread->regions_ns().size(); ++region)
      parts.mpi.regions_ns[region] += thread->regions_ns()[region];
  }
  RankCalls calls = {.host = support::host_name(),
                     .cores = allowed_cores(),
                     .process = {.wall_ns = run.recorded.total_ns(),
                                 .threads = threads,
                                 .processors = processors,
                                 .peak_memory_bytes = peak_memory_bytes()},
                     .functions = names_of_functions(),
                     .modules = {},
                     .sites = {},
                     .of_functions = {},
                     .messages = {},
                     .parts = parts,
                     .region_names = run.region_names,
                     .callers = {}};
  SumTable<std::uint32_t> numbers;  // of the sites
  sites.for_each([&](const SumKey& key, const SiteRecord& site) {
    const auto address = code_address(key.place);
    numbers[key] = static_cast<std::uint32_t>(calls.sites.size());
    calls.sites.push_back({.function = key.kind,
                           .module = number_of(address.module_path, calls.modules),
                           .offset = address.offset,
                           .sums = site.sums,
                           .waits = waits.places[key],
                           .after_previous_ns = site.previous.after_ns});
  });
  sites.for_each([&](const SumKey& key, const SiteRecord& site) {
    if (site.previous.place != SumKey{}) calls.sites[numbers[key]].previous = numbers[site.previous.place];
  });
  functions.for_each([&](const auto& key, const FunctionSums& sums) {
    calls.of_functions.push_back({key.kind, sums});
  });
  messages.for_each([&](const auto& key, const MessageSums& sums) {
    calls.messages.push_back({static_cast<std::uint32_t>(key.place),
                              key.kind == static_cast<std::uint32_t>(Direction::to_peer), sums});
  });
  calls.callers = callers_of_this_rank(waits.stacks, calls.modules);
  return calls;
}

std::string packed(const RankCalls& calls) {
  Packer pack;
  for_each_member(calls, pack);
  return pack.take();
}

RankCalls unpacked_calls(std::string_view bytes) {
  RankCalls calls;
  calls.functions = names_of_functions();
  if (!bytes.empty()) for_each_member(calls, Unpacker(bytes));
  return calls;
}

}  // namespace plimsoll::interpose
