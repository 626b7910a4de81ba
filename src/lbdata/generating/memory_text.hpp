#pragma once

#include <cstdint>
#include <string>

#include <plimsoll/lbdata/generator.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Returns the user data of a migratable object, with its memory sizes and its shared block; empty without
/// any. `number` counts the objects of a rank from 0.
std::string object_memory_text(const GenerateOptions& options, std::int64_t rank, std::int64_t number);
/// Returns the user data of a non-migratable object: the memory of its rank; empty without it.
std::string rank_memory_text(const GenerateOptions& options);

}  // namespace plimsoll::lbdata
