#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include <plimsoll/objects/handler.hpp>
#include <plimsoll/objects/index.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

/// The merged contributions of some elements of a collection.
class PartialReduction {
 public:
  virtual ~PartialReduction() = default;

  /// Merges the packed value of another rank.
  virtual void merge_packed(std::span<const std::byte> bytes) = 0;
  virtual std::size_t packed_bytes() const = 0;
  virtual void pack(std::span<std::byte> bytes) const = 0;
  /// Sends the value to its receiver, an element of `receivers` or, if that is null, a rank.
  virtual void finish(ObjectSystem& system, CollectionBase* receivers, std::uint64_t receiver) = 0;

  std::uint64_t count = 0;     ///< number of contributions
  std::uint64_t elements = 0;  ///< sum of hash_of_member() of the elements that have contributed
};

/// Value of ReductionGoal::receivers for a receiver that is a rank.
constexpr std::uint32_t ranks_as_receivers = ~std::uint32_t{0};

/// Common part of all contributions to a reduction.
struct ReductionGoal {
  std::uint32_t kind = 0;       ///< number of a StartReduction
  std::uint32_t receivers = 0;  ///< number of the collection of the receiver, or ranks_as_receivers
  std::uint64_t receiver = 0;   ///< number of the element, or rank
  SectionId section;            ///< elements that contribute
  friend bool operator==(const ReductionGoal&, const ReductionGoal&) = default;
};

/// Reduction over elements of a collection, as far as it has come on this rank.
struct Reduction {
  ReductionGoal goal;
  std::unique_ptr<PartialReduction> partial;
  std::uint64_t n_here = 0;  ///< contributions of elements on this rank
  bool is_unsent = false;    ///< over a section: whether this rank has contributions to send
};

/// Creates a reduction without contributions.
using StartReduction = std::unique_ptr<PartialReduction> (*)();
/// Type of the contributions and of the result that a function receives: its only parameter, or that after
/// the system in a function on a rank.
template <class Function>
struct ReducedValue {
  using Type = std::tuple_element_t<0, typename RankFunctionTraits<Function>::Arguments>;  ///< as a value
};
/// Parameter of a member function.
template <class Function>
requires std::is_member_function_pointer_v<Function>
struct ReducedValue<Function> {
  using Type = std::tuple_element_t<0, typename MethodTraits<Function>::Arguments>;  ///< as a value
};

/// Reduction whose result a function receives: a member function of an element, or a function on a rank.
template <auto function, class Merge>
class ReductionTo : public PartialReduction {
 public:
  using Value =
      typename ReducedValue<decltype(function)>::Type;  ///< type of the contributions and the result

  void merge(const Value& value) { add(value); }
  void merge(Value&& value) { add(std::move(value)); }
  void merge_packed(std::span<const std::byte> bytes) override {
    merge(std::get<0>(unpacked<std::tuple<Value>>(bytes)));
  }
  std::size_t packed_bytes() const override { return objects::packed_bytes(std::tie(value_)); }
  void pack(std::span<std::byte> bytes) const override { objects::pack(std::tie(value_), bytes); }
  void finish(ObjectSystem& system, CollectionBase* receivers, std::uint64_t receiver) override;

  static std::unique_ptr<PartialReduction> start() { return std::make_unique<ReductionTo>(); }
  inline static const std::uint32_t number = add_function<StartReduction>(typeid(ReductionTo).name(), &start);

 private:
  template <class Contribution>
  void add(Contribution&& contribution) {
    if (std::exchange(is_empty_, false))
      value_ = std::forward<Contribution>(contribution);
    else
      value_ = Merge{}(std::move(value_), std::forward<Contribution>(contribution));
  }

  Value value_{};
  bool is_empty_ = true;
};

}  // namespace plimsoll::objects
