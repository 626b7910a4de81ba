#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <plimsoll/objects/arguments.hpp>
#include <plimsoll/objects/object_system.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

/// Reply to a request of the main program, or of a function on a rank, which arrives in run_until_quiet():
///
///     const plimsoll::Future<double> energy = cells[{3, 4}].request<&Cell::energy>();
///     system.run_until_quiet();
///     use(energy.get());
///
/// It belongs to this rank, and may be copied. Elements may migrate before the reply arrives: they use the
/// other form of ElementProxy::request().
template <class Value>
class Future {
 public:
  /// Whether the reply has arrived.
  bool is_ready() const { return value_->has_value(); }
  /// Returns the reply. Throws Error (usage) if it has not arrived.
  const Value& get() const {
    if (!is_ready())
      throw support::usage_error(
          "a reply to a request has not arrived",
          "call run_until_quiet() after request(), on all ranks, and check its errors");
    return **value_;
  }

 private:
  template <class T>
  friend class ElementProxy;

  explicit Future(std::shared_ptr<const std::optional<Value>> value) : value_(std::move(value)) {}

  std::shared_ptr<const std::optional<Value>> value_;  // shared with the system until the reply arrives
};

/// Result of a member function, as a value.
template <auto method>
using ReplyOf = std::decay_t<typename MethodTraits<decltype(method)>::Reply>;

/// Stores the reply to a request of this rank.
template <class Value>
void store_reply(ObjectSystem& system, std::uint64_t request, Value value) {
  *std::static_pointer_cast<std::optional<Value>>(system.take_request(request)) = std::move(value);
}

/// Address of a reply: an element, or a request of a rank.
struct ReplyAddress {
  std::uint32_t collection = 0;  ///< number of the element's collection
  std::int32_t rank = 0;         ///< rank of the request
  std::uint64_t number = 0;      ///< position of the element, or number of the request

  /// For messages to other ranks.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(collection, rank, number);
  }
};

/// Member functions of an element that reply to requests.
template <auto method, class Arguments = typename MethodTraits<decltype(method)>::Arguments>
struct Reply;
/// Replies of a function with these parameters.
template <auto method, class... Each>
struct Reply<method, std::tuple<Each...>> {
  using Class = typename MethodTraits<decltype(method)>::Class;  ///< class of the member function

  /// Sends the result of `method` to a member function of an element.
  template <auto receive>
  static void to_element(Class& element, ReplyAddress to, Each... arguments) {
    ObjectSystem& system = element.system();
    system.template send<receive>(system.collection(to.collection), to.number,
                                  (element.*method)(std::move(arguments)...));
  }
  /// Sends the result to the rank of a request.
  static void to_rank(Class& element, ReplyAddress to, Each... arguments) {
    element.system().template send_to_rank<&store_reply<ReplyOf<method>>>(
        to.rank, to.number, (element.*method)(std::move(arguments)...));
  }
};

}  // namespace plimsoll::objects

namespace plimsoll::PLIMSOLL_ABI {
using objects::Future;
}  // namespace plimsoll
