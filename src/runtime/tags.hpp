#pragma once

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

// Tags of this module's own point-to-point messages, below those of the module mpi (mpi/tags.hpp).
inline constexpr int watchdog_question_tag = 32'001;
inline constexpr int watchdog_answer_tag = 32'002;
inline constexpr int packet_tag = 32'600;

}  // namespace plimsoll::runtime
