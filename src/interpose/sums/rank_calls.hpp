#pragma once

#include <cstdint>

#include <plimsoll/collectives/internal/frame_names.hpp>
#include <plimsoll/collectives/internal/rank_calls.hpp>

#include "interpose/callers/callers_of_rank.hpp"
#include "interpose/parts/run_parts.hpp"
#include "interpose/sums/thread_record.hpp"
#include "interpose/waits/measured_waits.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

using collectives::RankCalls;

/// Returns the names of the recorded functions, by Function.
std::vector<std::string> names_of_functions();

/// Returns the module of a return address and the address there; "unknown" if the module was unloaded.
collectives::CodeAddress code_address(std::uintptr_t return_address);

/// Returns the number of a module; adds it if it is new. Programs have a few modules only.
std::uint32_t number_of(const std::string& path, std::vector<std::string>& modules);

/// Returns the calls that the threads of this process have recorded. `processors` is the use of the
/// processors in the recorded time.
RankCalls calls_of_this_rank(const RunParts& run, const collectives::ProcessorTime& processors, Waits waits);

}  // namespace plimsoll::interpose
