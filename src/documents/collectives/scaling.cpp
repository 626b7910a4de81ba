#include <plimsoll/documents/collectives.hpp>

#include "documents/collectives/mpi_calls.hpp"

namespace plimsoll::PLIMSOLL_ABI::documents {

template <>
inline constexpr std::array fields<ScaledRun> = {
    field<&ScaledRun::name>("path", "as on the command line"),
    member<&ScaledRun::ranks>("their number"),
    member<&ScaledRun::wall_s>("longest wall time of a rank"),
    member<&ScaledRun::speedup>("`wall_s` of the first run / of this one"),
    member<&ScaledRun::useful_s>("time outside MPI of all threads that call MPI; `null` if unknown"),
    member<&ScaledRun::global>("`computation` x `parallel`; `null` if unknown"),
    member<&ScaledRun::computation>("`useful_s` of the first run / of this one; `null` if unknown"),
    member<&ScaledRun::efficiencies>("as in `collectives summary`"),
    member<&ScaledRun::cores>("`null` if the instructions, cycles or CPU times of a rank are unknown"),
    member<&ScaledRun::instruction_scaling>(
        "`instructions` of `cores` of the first run / of this one; `null` if unknown"),
    member<&ScaledRun::ipc_scaling>("`per_cycle` of this run / of the first one; `null` if unknown"),
    member<&ScaledRun::frequency_scaling>("`frequency_hz` of this run / of the first one; `null` if unknown"),
    member<&ScaledRun::at_common_sites>(
        "part of the time in MPI at call sites (function and source line) of the first run; "
        "little if it is another program"),
};

template <>
inline constexpr std::array fields<ScalingList> = {
    member<&ScalingList::runs>("in ascending order of their ranks"),
};

template const documents::Structure& structure<ScalingList>();

}  // namespace plimsoll::documents
