#pragma once

#include <plimsoll/collectives/internal/recorder.hpp>

#include "interpose/lifecycle/run.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Returns what identifies this rank in its files.
collectives::RankIdentity identity_of(const Run& run);

}  // namespace plimsoll::interpose
