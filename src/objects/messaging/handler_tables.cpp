#include "objects/messaging/handler_tables.hpp"

#include <string>
#include <typeinfo>
#include <vector>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/hash.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

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

/// Names of a function, as std::type_info has them.
struct FunctionName {
  std::string handler;  ///< template whose argument is the function
  const std::type_info& type;
};

// Functions are added while static objects are constructed, in an order that is unknown here.
template <class Function>
Table<Function>& table() {
  static Table<Function> functions;
  return functions;
}
template <class Function>
std::vector<FunctionName>& names() {
  static std::vector<FunctionName> names;
  return names;
}

std::string readable(const FunctionName& function) {
  const std::string text =
      support::demangled(function.handler);  // ...::HandlerOf<&Cell::start> or <&(Cell::start(double))>
  const std::size_t begin = text.find('&') + 1;
  const std::string name = text.substr(begin, text.rfind('>') - begin);
  if (name.starts_with('(') && name.ends_with(')')) return name.substr(1, name.size() - 2);
  const std::string signature = support::demangled(function.type.name());  // void (Cell::*)(double)
  return name + signature.substr(signature.find("*)(") + 2);
}

}  // namespace

std::uint32_t add_handler(std::string_view name, const std::type_info& type, DeliverPacked deliver) {
  names<DeliverPacked>().push_back({std::string(name), type});
  return table<DeliverPacked>().add(name, deliver);
}

std::uint32_t add_creator(std::string_view name, ConstructPacked construct) {
  return table<ConstructPacked>().add(name, construct);
}

std::uint32_t add_reduction(std::string_view name, StartReduction start) {
  return table<StartReduction>().add(name, start);
}

std::uint32_t add_rank_function(std::string_view name, const std::type_info& type, CallPacked call) {
  names<CallPacked>().push_back({std::string(name), type});
  return table<CallPacked>().add(name, call);
}

DeliverPacked handler(std::uint32_t number) {
  return table<DeliverPacked>().at(number);
}

std::string name_of_handler(std::uint32_t number) {
  return readable(names<DeliverPacked>().at(number));
}

std::string name_of_rank_function(std::uint32_t number) {
  return readable(names<CallPacked>().at(number));
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
