#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <plimsoll/objects/handler.hpp>
#include <plimsoll/objects/reduction.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

/// Returns the function with a number from add_handler(), add_creator(), add_reduction() or
/// add_rank_function(). Throws Error (bad_input) for an unknown number.
DeliverPacked handler(std::uint32_t number);
ConstructPacked creator(std::uint32_t number);
StartReduction reduction(std::uint32_t number);
CallPacked rank_function(std::uint32_t number);

/// Returns the function with a number from add_handler() or add_rank_function(), with the types of its
/// parameters.
std::string name_of_handler(std::uint32_t number);
std::string name_of_rank_function(std::uint32_t number);

/// Returns a hash of the names of all functions, which is the same on all ranks of one executable.
std::uint64_t hash_of_handlers();

}  // namespace plimsoll::objects
