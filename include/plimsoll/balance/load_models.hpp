#pragma once

#include <map>
#include <vector>

#include <plimsoll/balance/load_model.hpp>

// Load models with vt's names; docs/reference/load-models.md has their formulas. Constructors throw Error
// (usage) for a value out of range.
namespace plimsoll::PLIMSOLL_ABI::balance {

/// Reports the measured loads. Throws Error (usage) for queries about phases that are not past.
class RawData : public LoadModel {
 public:
  static LoadModelInfo info();
  void use(const LoadHistory& history) override { history_ = &history; }
  double load_s(ObjectIndex object, PhaseOffset when) const override;
  double raw_load_s(ObjectIndex object, PhaseOffset when) const override { return load_s(object, when); }
  double communication(ObjectIndex, PhaseOffset) const override { return 0; }
  OffRankTraffic traffic(ObjectIndex object, PhaseOffset when) const override;
  std::size_t n_objects() const override { return history_->n_objects(); }
  std::size_t n_past_phases(ObjectIndex object) const override { return history_->n_phases(object); }
  std::uint32_t n_subphases(ObjectIndex object) const override { return history_->n_subphases(object); }
  std::optional<lbdata::WideInteger> collection(ObjectIndex object) const override {
    return history_->collection(object);
  }
  std::size_t past_phases_needed(std::size_t look_back = 0) const override { return look_back; }
  bool needs_traffic() const override { return false; }
  std::int64_t phases_in_one() const override { return 1; }
  std::string text(const LoadModel* bottom = nullptr) const override;

 private:
  const LoadHistory* history_ = nullptr;
};

/// Predicts the load of the last phase.
class NaivePersistence : public ComposedModel {
 public:
  static LoadModelInfo info();
  using ComposedModel::ComposedModel;
  double load_s(ObjectIndex object, PhaseOffset when) const override;
  double raw_load_s(ObjectIndex object, PhaseOffset when) const override;
  double communication(ObjectIndex object, PhaseOffset when) const override;
  std::size_t past_phases_needed(std::size_t look_back = 0) const override;

 private:
  std::string own_text() const override { return "NaivePersistence"; }
};

/// Predicts the median of the last n phases, or of all phases that contain the object if these are fewer.
class PersistenceMedianLastN : public ComposedModel {
 public:
  static LoadModelInfo info();
  PersistenceMedianLastN(LoadModelPtr base, std::int64_t n);
  double load_s(ObjectIndex object, PhaseOffset when) const override;
  std::size_t past_phases_needed(std::size_t look_back = 0) const override;

 private:
  std::string own_text() const override;
  std::size_t n_;
};

/// Predicts the load on the regression line through the last `length` phases, or through all phases that
/// contain the object if these are fewer. With a single phase it predicts the load of that phase.
class LinearModel : public ComposedModel {
 public:
  static LoadModelInfo info();
  LinearModel(LoadModelPtr base, std::int64_t length);
  double load_s(ObjectIndex object, PhaseOffset when) const override;
  std::size_t past_phases_needed(std::size_t look_back = 0) const override;

 private:
  std::string own_text() const override;
  std::size_t length_;
};

/// Predicts the sum of several consecutive phases, for placements that are kept that long.
class MultiplePhases : public ComposedModel {
 public:
  static LoadModelInfo info();
  /// Requires at most 1000 phases, including those of underlying MultiplePhases.
  MultiplePhases(LoadModelPtr base, std::int64_t phases);
  double load_s(ObjectIndex object, PhaseOffset when) const override;
  std::int64_t phases_in_one() const override { return phases_ * base().phases_in_one(); }

 private:
  std::string own_text() const override;
  std::int64_t phases_;
};

/// Predicts the norm of the loads of the subphases. The higher the power, the more the longest subphase
/// counts. An object without subphases keeps its load.
class Norm : public ComposedModel {
 public:
  static LoadModelInfo info();
  /// Accepts an infinite `power`; the norm is then the load of the longest subphase.
  Norm(LoadModelPtr base, double power);
  double load_s(ObjectIndex object, PhaseOffset when) const override;

 private:
  std::string own_text() const override;
  double power_;
};

/// Restricts each phase to the given subphases, in the given order. A subphase may be listed several times.
class SelectSubphases : public ComposedModel {
 public:
  static LoadModelInfo info();
  SelectSubphases(LoadModelPtr base, std::vector<std::uint32_t> subphases);
  double load_s(ObjectIndex object, PhaseOffset when) const override;
  double raw_load_s(ObjectIndex object, PhaseOffset when) const override;
  std::uint32_t n_subphases(ObjectIndex) const override {
    return static_cast<std::uint32_t>(subphases_.size());
  }

 private:
  std::string own_text() const override;
  std::vector<std::uint32_t> subphases_;
};

/// Costs per message and per byte; >= 0.
struct MessageWeights {
  double per_message = 0;  ///< seconds per message
  double per_byte = 0;     ///< seconds per byte
  double of(const MessageVolume& volume) const {
    return per_message * static_cast<double>(volume.messages) + per_byte * volume.bytes;
  }
};

/// Adds the cost of receiving messages from other ranks to an object's load, in seconds.
class CommOverhead : public ComposedModel {
 public:
  static LoadModelInfo info();
  CommOverhead(LoadModelPtr base, MessageWeights weights);
  double load_s(ObjectIndex object, PhaseOffset when) const override;
  bool needs_traffic() const override { return true; }

 private:
  std::string own_text() const override;
  MessageWeights weights_;
};

/// Uses the model of a collection for the objects of this collection, and the base model for other objects.
class PerCollection : public ComposedModel {
 public:
  static LoadModelInfo info();
  /// Models by `collection_id`. They must be stacked on `base`, so that they see its objects.
  using Models = std::map<std::uint64_t, LoadModelPtr>;
  PerCollection(LoadModelPtr base, Models models);
  void use(const LoadHistory& history) override;
  double load_s(ObjectIndex object, PhaseOffset when) const override;
  double raw_load_s(ObjectIndex object, PhaseOffset when) const override;
  double communication(ObjectIndex object, PhaseOffset when) const override;
  std::uint32_t n_subphases(ObjectIndex object) const override;
  std::size_t past_phases_needed(std::size_t look_back = 0) const override;
  bool needs_traffic() const override;
  std::int64_t phases_in_one() const override;

 private:
  std::string own_text() const override;
  const LoadModel& model_of(ObjectIndex object) const;
  Models models_;
};

/// Defines the communication cost as the maximum of the costs to receive from and to send to other ranks in
/// SendRecv edges.
class WeightedMessages : public ComposedModel {
 public:
  static LoadModelInfo info();
  WeightedMessages(LoadModelPtr base, MessageWeights weights);
  double communication(ObjectIndex object, PhaseOffset when) const override;
  bool needs_traffic() const override { return true; }

 private:
  std::string own_text() const override;
  MessageWeights weights_;
};

/// Predicts alpha * load + beta * communication cost + gamma.
class WeightedCommunicationVolume : public ComposedModel {
 public:
  static LoadModelInfo info();
  /// Factors alpha of the load and beta of the communication cost, and the added time gamma in seconds.
  struct Weights {
    double alpha = 1;
    double beta = 0;
    double gamma = 0;
  };
  WeightedCommunicationVolume(LoadModelPtr base, Weights weights);
  double load_s(ObjectIndex object, PhaseOffset when) const override;

 private:
  std::string own_text() const override;
  Weights weights_;
};

/// Loads of an object in one phase, as sent to the object's new rank.
struct ShippedLoads {
  double whole_s = 0;                 ///< load of the whole phase in seconds
  std::vector<double> of_subphase_s;  ///< loads by subphase id; empty without subphases
};
/// Object that arrives by migration, with the loads that migrate with it.
struct ShippedObject {
  ShippedLoads modelled;  ///< loads predicted for the next phase
  ShippedLoads raw;       ///< loads measured in the last phase
};

/// Objects of one rank after a proposed migration: the objects of the underlying model without the departing
/// ones, followed by the arriving ones. Arriving objects only have loads of the next phase. This model can be
/// created in code only, not from text.
class ProposedReassignment : public ComposedModel {
 public:
  /// Returns the data that another rank needs if an object of `model` migrates there.
  static ShippedObject ship(const LoadModel& model, ObjectIndex object);

  /// Requires that the base already has its history. Throws Error (usage) for a departing object that the
  /// base does not have.
  ProposedReassignment(LoadModelPtr base, const std::vector<ObjectIndex>& departing,
                       std::vector<ShippedObject> arriving);
  double load_s(ObjectIndex object, PhaseOffset when) const override;
  double raw_load_s(ObjectIndex object, PhaseOffset when) const override;
  double communication(ObjectIndex object, PhaseOffset when) const override;
  OffRankTraffic traffic(ObjectIndex object, PhaseOffset when) const override;
  std::size_t n_objects() const override { return staying_.size() + arriving_.size(); }
  std::size_t n_past_phases(ObjectIndex object) const override;
  std::uint32_t n_subphases(ObjectIndex object) const override;
  std::optional<lbdata::WideInteger> collection(ObjectIndex object) const override;

 private:
  std::string own_text() const override { return "ProposedReassignment"; }
  bool stays(ObjectIndex object) const { return object < staying_.size(); }
  const ShippedObject& arrived(ObjectIndex object) const { return arriving_.at(object - staying_.size()); }
  std::vector<ObjectIndex> staying_;  // object indices in the base model
  std::vector<ShippedObject> arriving_;
};

}  // namespace plimsoll::balance
