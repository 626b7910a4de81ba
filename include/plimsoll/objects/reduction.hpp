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
#include <plimsoll/objects/section_id.hpp>

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

/// Common part of all contributions to a reduction.
struct ReductionGoal {
  std::uint32_t kind = 0;       ///< number from add_reduction()
  std::uint32_t receivers = 0;  ///< number of the collection of the receiver
  std::uint64_t receiver = 0;
  SectionId section;  ///< elements that contribute
  friend bool operator==(const ReductionGoal&, const ReductionGoal&) = default;
};

/// Reduction over elements of a collection, as far as it has come on this rank.
struct Reduction {
  ReductionGoal goal;
  std::unique_ptr<PartialReduction> partial;
  std::uint64_t n_here = 0;  ///< contributions of elements on this rank
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
