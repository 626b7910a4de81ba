#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/collectives/mpi_summary.hpp>

#include "documents/describe.hpp"

// Descriptions of what follows from the MPI calls of a program, for several documents.

namespace plimsoll::PLIMSOLL_ABI::documents {

using namespace collectives;

template <>
inline constexpr std::array fields<TimeBalance> = {
    members<&TimeBalance::imbalance, &TimeBalance::mean_s, &TimeBalance::max_s, &TimeBalance::max_rank,
            &TimeBalance::min_s, &TimeBalance::min_rank>(),
};

/// The MPI calls of a run, and what follows from them.
struct MpiShare {
  const MpiCalls* calls = nullptr;
  const MpiSummary* summary = nullptr;
};

inline std::ptrdiff_t number_of_rank(const MpiSummary::Rank& rank, const MpiShare& share) {
  return &rank - share.summary->ranks.data();
}

inline const MpiCalls::Rank& calls_of_rank(const MpiSummary::Rank& rank, const MpiShare& share) {
  return share.calls->ranks[static_cast<std::size_t>(number_of_rank(rank, share))];
}

inline std::optional<std::string> text_of(const NumberList& list) {
  return list.empty() ? std::nullopt : std::optional(list.to_string());
}

template <>
inline constexpr std::array fields<MpiCalls::SizeClass> = {
    member<&MpiCalls::SizeClass::min_bytes>(),
    member<&MpiCalls::SizeClass::max_bytes>("`null`: without limit"),
    member<&MpiCalls::SizeClass::calls>(),
    member<&MpiCalls::SizeClass::time_s>("time in these calls, which includes waiting"),
};

template <>
inline constexpr std::array fields<MpiSummary::Function> = {
    field<&MpiSummary::Function::name>("function"),
    field<&MpiSummary::Function::name, purpose_of>(
        "purpose", "`transfer`, `wait`, `collective`, `collective start`, `file`"),
    member<&MpiSummary::Function::calls>(),
    field<&MpiSummary::Function::time, &TimeBalance::sum_s>("time_s"),
    member<&MpiSummary::Function::share>(),
    member<&MpiSummary::Function::ranks>("number of ranks that called it"),
    member<&MpiSummary::Function::time, &TimeBalance::imbalance>("over these ranks"),
    field<&MpiSummary::Function::time, &TimeBalance::max_s>("max_time_s"),
    field<&MpiSummary::Function::time, &TimeBalance::max_rank>("slowest_rank"),
    member<&MpiSummary::Function::sizes>("calls by the bytes that each sends, or receives if it sends "
                                         "nothing, in ascending order; empty if unknown"),
    member<&MpiSummary::Function::window_times_s>(
        "time of all ranks by window of `windows`; empty if unknown"),
};

template <>
inline constexpr std::array fields<Efficiencies> = {
    member<&Efficiencies::parallel>("mean useful time (outside MPI) of the ranks / longest wall time"),
    member<&Efficiencies::load_balance>("mean / maximum of the useful times"),
    member<&Efficiencies::between_nodes>("part of the load balance, `null` if hosts are unknown"),
    member<&Efficiencies::within_nodes>("the other part of the load balance"),
    member<&Efficiencies::communication>("maximum useful time / longest wall time"),
    member<&Efficiencies::serialisation>("part of `communication`, `null` if it was not recorded"),
    member<&Efficiencies::transfer>("the other part of `communication`"),
};

template <>
inline constexpr std::array fields<CoreSpeed> = {
    member<&CoreSpeed::instructions>("in user mode, also in MPI, of all threads of all ranks"),
    member<&CoreSpeed::per_cycle>("instructions per cycle (IPC)"),
    member<&CoreSpeed::frequency_hz>("cycles per second of CPU time in user mode"),
};

template <>
inline constexpr std::array fields<Oversubscription> = {
    members<&Oversubscription::host, &Oversubscription::ranks>(),
    member<&Oversubscription::threads>("that call MPI"),
    member<&Oversubscription::cores>(),
};

template <>
inline constexpr std::array fields<ProcessorUse> = {
    member<&ProcessorUse::off_s>("sum of `off_processor_s` over all threads that call MPI"),
    member<&ProcessorUse::outside_s>("time outside MPI of the threads for which that is known"),
    member<&ProcessorUse::cause>("cause of most of `off_s`: `oversubscribed`, `interrupted` (ready to run, "
                                 "but without a core), `waiting` "
                                 "(such as for files), `unknown`"),
    member<&ProcessorUse::without_core_s>(
        "time in and outside MPI that the threads that called MPI_Init were "
        "ready to run, but had no core (`core_wait_s`), minus the measured waiting"),
    member<&ProcessorUse::oversubscription>("ranks of a host that may use fewer cores than they have threads "
                                            "that call MPI; `null` if none or unknown"),
};

template <>
inline constexpr std::array fields<MpiSummary::Rank> = {
    field<number_of_rank>("rank", "rank in MPI_COMM_WORLD"),
    member<calls_of_rank, &MpiCalls::Rank::host>("name of its host"),
    member<calls_of_rank, &MpiCalls::Rank::wall_s>(
        "time from MPI_Init until the last rank has called MPI_Finalize"),
    member<calls_of_rank, &MpiCalls::Rank::threads>(
        "number of threads that call MPI; the next four times are means over them"),
    member<&MpiSummary::Rank::outside_s>("time outside MPI; `null` if unknown"),
    member<&MpiSummary::Rank::mpi_s>("time in MPI"),
    member<&MpiSummary::Rank::waited_s>("its part of `waited_s` of the run; `null` if unknown"),
    member<&MpiSummary::Rank::off_processor_s>("time outside MPI during which the thread was certainly not "
                                               "on a processor: time outside MPI minus CPU "
                                               "time; `null` if unknown"),
    member<calls_of_rank, &MpiCalls::Rank::user_s>(
        "CPU time in user mode; as the next keys, of the process, and "
        "`null` if unknown"),
    member<calls_of_rank, &MpiCalls::Rank::system_s>("CPU time in the operating system"),
    member<calls_of_rank, &MpiCalls::Rank::voluntary_switches>(
        "number of times that a thread slept or waited"),
    member<calls_of_rank, &MpiCalls::Rank::involuntary_switches>(
        "number of times that another thread got the core of a thread"),
    member<calls_of_rank, &MpiCalls::Rank::core_wait_s>(
        "time that the thread that called MPI_Init was ready to run, but had no core"),
    member<calls_of_rank, &MpiCalls::Rank::instructions>("instructions in user mode, also in MPI"),
    member<calls_of_rank, &MpiCalls::Rank::cycles>("cycles in user mode, also in MPI"),
    field<calls_of_rank, &MpiCalls::Rank::cores, text_of>(
        "cores", "cores that the process may use, such as `\"0-3\"`"),
    member<calls_of_rank, &MpiCalls::Rank::peak_memory_bytes>("largest resident memory"),
};

template <>
inline constexpr std::array fields<RegionSummary> = {
    member<&RegionSummary::name>(),
    member<&RegionSummary::ranks>("number of ranks that were in it"),
    member<&RegionSummary::wall_s>("time in the region without regions within it, of the thread that called "
                                   "MPI_Init, summed over ranks"),
    member<&RegionSummary::longest_wall_s>("maximum of a rank"),
    member<&RegionSummary::share>("`wall_s` / wall time of the run"),
    member<&RegionSummary::mpi_s>("part of `wall_s`: time in MPI"),
    member<&RegionSummary::mpi_share>("`mpi_s` / time in MPI of the run"),
    member<&RegionSummary::waited_s>(
        "part of `mpi_s`: waiting for other ranks, as far as it was measured; `null` if unknown"),
    member<&RegionSummary::efficiencies>("efficiencies of the ranks that were in it, with the longest time "
                                         "of a rank as run time; `null` if no "
                                         "rank was outside MPI"),
    member<&RegionSummary::transfer_unknown>(
        "why its serialisation and transfer are unknown; empty if they are "
        "known, or as unknown as all its efficiencies"),
};

template <>
inline constexpr std::array fields<WindowSummary> = {
    member<&WindowSummary::begin_s>("time since the first rank began to record"),
    member<&WindowSummary::end_s>(),
    member<&WindowSummary::wall_s>("recorded time, summed over all ranks"),
    member<&WindowSummary::longest_wall_s>("maximum of a rank"),
    member<&WindowSummary::share>("`wall_s` / wall time of the run"),
    member<&WindowSummary::mpi_s>("time in MPI, summed over all threads"),
    member<&WindowSummary::waited_s>(
        "part of `mpi_s`: waiting for other ranks, as far as it was measured; `null` if unknown"),
    member<&WindowSummary::thread_s>("recorded time, summed over all threads that call MPI"),
    member<&WindowSummary::efficiencies>("`null` if the time outside MPI of a rank is unknown"),
    member<&WindowSummary::transfer_unknown>("as of regions"),
};

template <>
inline constexpr std::array fields<MpiSummary::PointToPoint> = {
    members<&MpiSummary::PointToPoint::messages, &MpiSummary::PointToPoint::bytes,
            &MpiSummary::PointToPoint::between_nodes_bytes>(),
};

template <>
inline constexpr std::array fields<MpiShare> = {
    member<&MpiShare::summary, &MpiSummary::wall_s>(
        "time from MPI_Init until the last rank has called MPI_Finalize, summed over all ranks"),
    member<&MpiShare::summary, &MpiSummary::longest_wall_s>(
        "maximum time of a rank from MPI_Init until the last rank has called MPI_Finalize"),
    member<&MpiShare::summary, &MpiSummary::thread_s>(
        "the same, summed over all threads that call MPI: differs from `wall_s` if several threads of a rank "
        "do"),
    member<&MpiShare::summary, &MpiSummary::efficiencies>(
        "parallel efficiency of the run and its factors, from 0 to 1; `null` if the time outside MPI of a "
        "rank is "
        "unknown"),
    member<&MpiShare::summary, &MpiSummary::transfer_unknown>(
        "why serialisation and transfer are unknown; empty if they are known, or as unknown as all "
        "efficiencies"),
    member<&MpiShare::summary, &MpiSummary::mpi_s>("time in MPI, summed over all threads"),
    field<&MpiShare::summary, &MpiSummary::mpi_share>("share", "share of MPI"),
    member<&MpiShare::summary, &MpiSummary::waited_s>("part of `mpi_s`: time that ranks waited for the ranks "
                                                      "on which they depend, as measured; `null` if it was "
                                                      "not measured"),
    member<&MpiShare::summary, &MpiSummary::waits_error_s>(
        "by how much `waited_s` may be wrong at most, because the clocks of hosts differ; `null` if unknown"),
    member<&MpiShare::summary, &MpiSummary::clock_error_s>(
        "by how much times of different ranks may be wrong in relation to each other; `null` if unknown"),
    member<&MpiShare::summary, &MpiSummary::unknown_waits_s>(
        "part of `mpi_s`: time in calls that may have waited, an unknown part of which is waiting"),
    member<&MpiShare::summary, &MpiSummary::functions_with_unknown_waits>("the functions of these calls"),
    member<&MpiShare::summary, &MpiSummary::processors>("time without a processor"),
    member<&MpiShare::summary, &MpiSummary::cores>(
        "how fast cores computed; `null` if the kernel of a rank gives no counters"),
    field<&MpiShare::summary, &MpiSummary::outside>("outside_mpi",
                                                    "distribution of the time outside MPI over ranks"),
    member<&MpiShare::summary, &MpiSummary::functions>("longest time first"),
    member<&MpiShare::summary, &MpiSummary::ranks>("times of the ranks"),
    member<&MpiShare::summary, &MpiSummary::regions>("regions that the program marks, longest time first"),
    member<&MpiShare::summary, &MpiSummary::windows>("windows of time of equal length, in their order"),
    member<&MpiShare::summary, &MpiSummary::point_to_point>(
        "point-to-point messages and one-sided transfers"),
    member<&MpiShare::summary, &MpiSummary::nodes>("number of hosts"),
    field<&MpiShare::calls, &MpiCalls::cut_short, text_of>(
        "cut_short",
        "ranks whose MPI calls end before MPI_Finalize or are missing, such as `\"0-2, 5\"`; `null` "
        "if none"),
    member<&MpiShare::calls, &MpiCalls::is_running>(
        "whether the program was running when its MPI calls were merged"),
};

}  // namespace plimsoll::documents
