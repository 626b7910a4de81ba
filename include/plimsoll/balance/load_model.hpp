#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <plimsoll/balance/load_history.hpp>

namespace plimsoll::inline v0_1::balance {

/// Which phase a load is asked of, and whether of one of its subphases.
struct PhaseOffset {
  static constexpr std::uint32_t whole_phase = ~std::uint32_t{0};
  std::int64_t phases = 0;  ///< below 0: past, -1 the last one; 0: the next; above 0: further ones
  std::uint32_t subphase = whole_phase;  ///< its id, or whole_phase

  bool is_past() const { return phases < 0; }
  bool is_whole() const { return subphase == whole_phase; }
  PhaseOffset at(std::int64_t other_phases) const { return {other_phases, subphase}; }
  PhaseOffset of(std::uint32_t other_subphase) const { return {phases, other_subphase}; }
};

/// Says what objects did in past phases, and will do in the next: what strategies balance. Models are put on
/// top of each other; RawData, what was measured, is at the bottom. Source: vt's load models.
///
/// Queries are const and may be made by several threads. Loads are in seconds, and may be negative where a
/// model's formula gives that: who uses one as a load takes 0 then (apply_load_model()).
class LoadModel {
 public:
  virtual ~LoadModel() = default;

  /// Goes by this history from now on. It must outlive the use, and have past_phases_needed() phases or as
  /// many as there are, and traffic if needs_traffic().
  virtual void use(const LoadHistory& history) = 0;

  virtual double load_s(ObjectIndex object, PhaseOffset when) const = 0;
  /// What was measured; of a phase that is not past, what was in the last one.
  virtual double raw_load_s(ObjectIndex object, PhaseOffset when) const = 0;
  /// The cost of the object's communication in the model's own unit; 0 in models that are not about it.
  virtual double communication(ObjectIndex object, PhaseOffset when) const = 0;
  /// Of a phase that is not past: that of the last one.
  virtual OffRankTraffic traffic(ObjectIndex object, PhaseOffset when) const = 0;

  virtual std::size_t n_objects() const = 0;
  /// How many of the last phases know the object; further back its loads are 0.
  virtual std::size_t n_past_phases(ObjectIndex object) const = 0;
  /// Subphases of the object are numbered below this.
  virtual std::uint32_t n_subphases(ObjectIndex object) const = 0;
  virtual std::optional<lbdata::WideInteger> collection(ObjectIndex object) const = 0;

  /// How many past phases it takes to ask for phases down to -look_back, and for all others.
  virtual std::size_t past_phases_needed(std::size_t look_back = 0) const = 0;
  virtual bool needs_traffic() const = 0;
  /// How many phases to come one stands for; more than one with MultiplePhases, which bounds it.
  virtual std::int64_t phases_in_one() const = 0;

  /// The pipeline that make_load_model() makes this of, without what is below and including `bottom`.
  virtual std::string text(const LoadModel* bottom = nullptr) const = 0;
};

/// Models share those below them.
using LoadModelPtr = std::shared_ptr<LoadModel>;

/// A model that answers as the one below it does: the base class of those that change some of the answers.
class ComposedModel : public LoadModel {
 public:
  explicit ComposedModel(LoadModelPtr base) : base_(std::move(base)) {}

  void use(const LoadHistory& history) override { base_->use(history); }
  double load_s(ObjectIndex object, PhaseOffset when) const override { return base_->load_s(object, when); }
  double raw_load_s(ObjectIndex object, PhaseOffset when) const override {
    return base_->raw_load_s(object, when);
  }
  double communication(ObjectIndex object, PhaseOffset when) const override {
    return base_->communication(object, when);
  }
  OffRankTraffic traffic(ObjectIndex object, PhaseOffset when) const override {
    return base_->traffic(object, when);
  }
  std::size_t n_objects() const override { return base_->n_objects(); }
  std::size_t n_past_phases(ObjectIndex object) const override { return base_->n_past_phases(object); }
  std::uint32_t n_subphases(ObjectIndex object) const override { return base_->n_subphases(object); }
  std::optional<lbdata::WideInteger> collection(ObjectIndex object) const override {
    return base_->collection(object);
  }
  std::size_t past_phases_needed(std::size_t look_back) const override {
    return base_->past_phases_needed(look_back);
  }
  bool needs_traffic() const override { return base_->needs_traffic(); }
  std::int64_t phases_in_one() const override { return base_->phases_in_one(); }
  std::string text(const LoadModel* bottom = nullptr) const override;

 protected:
  const LoadModel& base() const { return *base_; }
  /// This model alone: "LinearModel(length=5)".
  virtual std::string own_text() const = 0;

 private:
  LoadModelPtr base_;
};

}  // namespace plimsoll::balance
