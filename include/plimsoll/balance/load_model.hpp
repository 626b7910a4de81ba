#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <plimsoll/balance/load_history.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Phase, and optionally subphase, that a load query refers to.
struct PhaseOffset {
  static constexpr std::uint32_t whole_phase = ~std::uint32_t{0};
  std::int64_t phases = 0;  ///< below 0: past phase, -1 is the last; 0: next phase; above 0: later phases
  std::uint32_t subphase = whole_phase;  ///< id of the subphase, or whole_phase

  bool is_past() const { return phases < 0; }
  bool is_whole() const { return subphase == whole_phase; }
  PhaseOffset at(std::int64_t other_phases) const { return {other_phases, subphase}; }
  PhaseOffset of(std::uint32_t other_subphase) const { return {phases, other_subphase}; }
};

/// Load model: reports the loads of objects in past phases and predicts them for future phases. Strategies
/// balance these loads. Models are stacked on each other; RawData, the measured loads, is at the bottom.
/// Source: vt's load models.
///
/// Queries are const, and several threads may call them. Loads are in seconds. A model's formula may give
/// negative loads; callers that need a load use 0 instead (apply_load_model()).
class LoadModel {
 public:
  virtual ~LoadModel() = default;

  /// Sets the history for all later queries. The history must outlive them. It must have past_phases_needed()
  /// phases (or all that exist), and traffic if needs_traffic().
  virtual void use(const LoadHistory& history) = 0;

  virtual double load_s(ObjectIndex object, PhaseOffset when) const = 0;
  /// Returns the measured load; for the next and later phases, the measured load of the last phase.
  virtual double raw_load_s(ObjectIndex object, PhaseOffset when) const = 0;
  /// Returns the communication cost of the object in the model's unit; 0 in models without communication.
  virtual double communication(ObjectIndex object, PhaseOffset when) const = 0;
  /// Returns the traffic of an object; for the next and later phases, the traffic of the last phase.
  virtual OffRankTraffic traffic(ObjectIndex object, PhaseOffset when) const = 0;

  virtual std::size_t n_objects() const = 0;
  /// Returns the number of consecutive phases, ending with the last phase, that contain the object. The loads
  /// of the object in earlier phases are 0.
  virtual std::size_t n_past_phases(ObjectIndex object) const = 0;
  /// Returns the number of subphases of the object. Ids of subphases are below this number.
  virtual std::uint32_t n_subphases(ObjectIndex object) const = 0;
  virtual std::optional<lbdata::WideInteger> collection(ObjectIndex object) const = 0;

  /// Returns the number of past phases that the model needs. With this many phases, the model can answer
  /// queries about past phases down to -look_back, and about all later phases.
  virtual std::size_t past_phases_needed(std::size_t look_back = 0) const = 0;
  virtual bool needs_traffic() const = 0;
  /// Returns the number of future phases that one query covers: more than 1 only with MultiplePhases, which
  /// limits it.
  virtual std::int64_t phases_in_one() const = 0;

  /// Returns the pipeline from which make_load_model() makes this model, without `bottom` and the models
  /// below it.
  virtual std::string text(const LoadModel* bottom = nullptr) const = 0;
};

/// Shared pointer to a load model: models share their underlying models.
using LoadModelPtr = std::shared_ptr<LoadModel>;

/// Base class of models that change only some results: forwards every query to the underlying model.
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
  /// Returns the text of this model alone: "LinearModel(length=5)".
  virtual std::string own_text() const = 0;

 private:
  LoadModelPtr base_;
};

}  // namespace plimsoll::balance
