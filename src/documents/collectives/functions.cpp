#include <plimsoll/documents/collectives.hpp>

#include "documents/collectives/mpi_calls.hpp"

namespace plimsoll::PLIMSOLL_ABI::documents {

using namespace collectives;

template <>
inline constexpr std::array fields<FunctionList> = {
    member<&FunctionList::functions>("longest time first"),
    member<&FunctionList::summary, &MpiSummary::windows>("windows of time of equal length, in their order"),
};

template const documents::Structure& structure<FunctionList>();

}  // namespace plimsoll::documents
