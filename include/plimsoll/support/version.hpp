#pragma once

/// Version of Plimsoll. CMake reads it from this line.
#define PLIMSOLL_VERSION "0.1.0"

/// Namespace of this version, in `namespace plimsoll::PLIMSOLL_ABI::support`. Users write
/// `plimsoll::support`. One process can contain several versions that do not call each other, because the
/// names of functions contain it. It changes with every version that may change an interface.
#define PLIMSOLL_ABI inline v0_1
