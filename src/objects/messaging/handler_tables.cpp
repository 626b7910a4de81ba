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
template <class Function>
Table<Function>& table() {
  static Table<Function> functions;
  return functions;
}

}  // namespace

std::uint32_t add_handler(std::string_view name, DeliverPacked deliver) {
  return table<DeliverPacked>().add(name, deliver);
}

std::uint32_t add_creator(std::string_view name, ConstructPacked construct) {
  return table<ConstructPacked>().add(name, construct);
}

std::uint32_t add_reduction(std::string_view name, StartReduction start) {
  return table<StartReduction>().add(name, start);
}

std::uint32_t add_rank_function(std::string_view name, CallPacked call) {
  return table<CallPacked>().add(name, call);
}

DeliverPacked handler(std::uint32_t number) {
  return table<DeliverPacked>().at(number);
}

ConstructPacked creator(std::uint32_t number) {
  return table<ConstructPacked>().at(number);
}

StartReduction reduction(std::uint32_t number) {
  return table<StartReduction>().at(number);
}

CallPacked rank_function(std::uint32_t number) {
  return table<CallPacked>().at(number);
}

std::uint64_t hash_of_handlers() {
  return table<DeliverPacked>().hash ^ (table<ConstructPacked>().hash << 1) ^
         (table<StartReduction>().hash << 2) ^ (table<CallPacked>().hash << 3);
}

}  // namespace plimsoll::objects
