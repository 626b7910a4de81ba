#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>
#include <typeinfo>
#include <utility>

#include <plimsoll/objects/handler.hpp>

namespace plimsoll::inline v0_1::objects {

/// The merged contributions of some elements of a collection.
class PartialReduction {
 public:
  virtual ~PartialReduction() = default;

  /// Merges the packed value of another rank.
  virtual void merge_packed(std::span<const std::byte> bytes) = 0;
  virtual std::size_t packed_bytes() const = 0;
  virtual void pack(std::span<std::byte> bytes) const = 0;
  /// Sends the value to its receiver.
  virtual void finish(ObjectSystem& system, CollectionBase& receivers, std::uint64_t number) = 0;

  std::uint64_t count = 0;     ///< number of contributions
  std::uint64_t elements = 0;  ///< sum of hash_of_member() of the elements that have contributed
};

/// Creates a reduction without contributions.
using StartReduction = std::unique_ptr<PartialReduction> (*)();
/// Numbers the kinds of reductions, like add_handler().
std::uint32_t add_reduction(std::string_view name, StartReduction start);

/// Reduction whose result a member function receives.
template <auto method, class Merge>
class ReductionTo : public PartialReduction {
 public:
  /// Type of the contributions and of the result.
  using Value = std::tuple_element_t<0, typename MethodTraits<decltype(method)>::Arguments>;

  void merge(const Value& value) { add(value); }
  void merge(Value&& value) { add(std::move(value)); }
  void merge_packed(std::span<const std::byte> bytes) override {
    merge(std::get<0>(unpacked<std::tuple<Value>>(bytes)));
  }
  std::size_t packed_bytes() const override { return objects::packed_bytes(std::tie(value_)); }
  void pack(std::span<std::byte> bytes) const override { objects::pack(std::tie(value_), bytes); }
  void finish(ObjectSystem& system, CollectionBase& receivers, std::uint64_t number) override;

  static std::unique_ptr<PartialReduction> start() { return std::make_unique<ReductionTo>(); }
  inline static const std::uint32_t number = add_reduction(typeid(ReductionTo).name(), &start);

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
