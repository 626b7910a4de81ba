#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <plimsoll/objects/handler.hpp>
#include <plimsoll/objects/reduction.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

/// Returns the function with a number from add_function(). Throws Error (bad_input) for an unknown number.
template <class Function>
Function function_of(std::uint32_t number);

/// Returns the name of a function that was added with its type, with the types of its parameters.
template <class Function>
std::string name_of_function(std::uint32_t number);

/// Returns a hash of the names of all functions, which is the same on all ranks of one executable.
std::uint64_t hash_of_functions();

}  // namespace plimsoll::objects
