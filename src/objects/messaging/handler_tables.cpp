#include "objects/messaging/handler_tables.hpp"

#include <vector>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/hash_bytes.hpp>

namespace plimsoll::inline v0_1::objects {

namespace {

template <class Function>
struct Table {
  std::vector<Function> functions;
  std::uint64_t hash = 0;

  std::uint32_t add(std::string_view name, Function function) {
    hash = support::hash_bytes(name, hash);
    functions.push_back(function);
    return static_cast<std::uint32_t>(functions.size() - 1);
  }
  Function at(std::uint32_t number) const {
    if (number < functions.size()) return functions[number];
    throw support::bad_input("message for an unknown member function", {},
                             "run the same executable on all ranks");
  }
};

// Functions are added while static objects are constructed, in an order that is unknown here.
Table<DeliverPacked>& handlers() {
  static Table<DeliverPacked> table;
  return table;
}
Table<ConstructPacked>& creators() {
  static Table<ConstructPacked> table;
  return table;
}

Table<StartReduction>& reductions() {
  static Table<StartReduction> table;
  return table;
}

Table<CallPacked>& rank_functions() {
  static Table<CallPacked> table;
  return table;
}

}  // namespace

std::uint32_t add_handler(std::string_view name, DeliverPacked deliver) {
  return handlers().add(name, deliver);
}

std::uint32_t add_creator(std::string_view name, ConstructPacked construct) {
  return creators().add(name, construct);
}

std::uint32_t add_reduction(std::string_view name, StartReduction start) {
  return reductions().add(name, start);
}

std::uint32_t add_rank_function(std::string_view name, CallPacked call) {
  return rank_functions().add(name, call);
}

DeliverPacked handler(std::uint32_t number) {
  return handlers().at(number);
}

ConstructPacked creator(std::uint32_t number) {
  return creators().at(number);
}

StartReduction reduction(std::uint32_t number) {
  return reductions().at(number);
}

CallPacked rank_function(std::uint32_t number) {
  return rank_functions().at(number);
}

std::uint64_t hash_of_handlers() {
  return handlers().hash ^ (creators().hash << 1) ^ (reductions().hash << 2) ^ (rank_functions().hash << 3);
}

}  // namespace plimsoll::objects
