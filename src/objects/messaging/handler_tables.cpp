#include <optional>
#include <string>
#include <typeinfo>
#include <vector>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/hash.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "objects/messaging/envelope.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

namespace {

/// Functions of one type, with their names as std::type_info has them.
template <class Function>
struct Table {
  struct Entry {
    Function function;
    std::string name;  ///< of the template whose argument is the function
    const std::type_info* type;
    bool has_step;
  };
  std::vector<Entry> entries;
  std::uint64_t hash = 0;
};

// Functions are added while static objects are constructed, in an order that is unknown here.
template <class Function>
Table<Function>& table() {
  static Table<Function> functions;
  return functions;
}

std::string readable(const std::string& handler, const std::type_info& type) {
  const std::string text =
      support::demangled(handler);  // ...::HandlerOf<&Cell::start> or <&(Cell::start(double))>
  const std::size_t begin = text.find('&') + 1;
  const std::string name = text.substr(begin, text.rfind('>') - begin);
  if (name.starts_with('(') && name.ends_with(')')) return name.substr(1, name.size() - 2);
  const std::string signature = support::demangled(type.name());  // void (Cell::*)(double)
  return name + signature.substr(signature.find("*)(") + 2);
}

}  // namespace

template <class Function>
std::uint32_t add_function(std::string_view name, Function function, const std::type_info* type,
                           bool has_step) {
  auto& [entries, hash] = table<Function>();
  hash = support::hash_bytes(name, hash);
  entries.push_back({function, std::string(name), type, has_step});
  return static_cast<std::uint32_t>(entries.size() - 1);
}

template <class Function>
Function function_of(std::uint32_t number) {
  const auto& entries = table<Function>().entries;
  if (number < entries.size()) return entries[number].function;
  throw support::bad_input("message for an unknown member function", {},
                           "run the same executable on all ranks");
}

template <class Function>
std::string name_of_function(std::uint32_t number) {
  const auto& entry = table<Function>().entries.at(number);
  return readable(entry.name, *entry.type);
}

bool function_has_step(std::uint32_t number) {
  const auto& entries = table<DeliverPacked>().entries;
  return number < entries.size() && entries[number].has_step;
}

const std::string& key_of_function(std::uint32_t number) {
  return table<DeliverPacked>().entries.at(number).name;
}

std::optional<std::uint32_t> function_of_key(const std::string& key) {
  const auto& entries = table<DeliverPacked>().entries;
  for (std::uint32_t number = 0; number < entries.size(); ++number)
    if (entries[number].name == key) return number;
  return {};
}

template std::uint32_t add_function(std::string_view, DeliverPacked, const std::type_info*, bool);
template std::uint32_t add_function(std::string_view, ConstructPacked, const std::type_info*, bool);
template std::uint32_t add_function(std::string_view, StartReduction, const std::type_info*, bool);
template std::uint32_t add_function(std::string_view, CallPacked, const std::type_info*, bool);
template DeliverPacked function_of(std::uint32_t);
template ConstructPacked function_of(std::uint32_t);
template StartReduction function_of(std::uint32_t);
template CallPacked function_of(std::uint32_t);
template std::string name_of_function<DeliverPacked>(std::uint32_t);
template std::string name_of_function<CallPacked>(std::uint32_t);

std::uint64_t hash_of_functions() {
  return table<DeliverPacked>().hash ^ (table<ConstructPacked>().hash << 1) ^
         (table<StartReduction>().hash << 2) ^ (table<CallPacked>().hash << 3);
}

}  // namespace plimsoll::objects
