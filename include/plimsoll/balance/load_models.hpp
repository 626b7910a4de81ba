#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/balance/load_model.hpp>

// Load models with vt's names; docs/reference/load-models.md has their formulas. Constructors throw Error
// (usage) for a value out of range.
namespace plimsoll::PLIMSOLL_ABI::balance {

/// Reports the measured loads. Throws Error (usage) for queries about phases that are not past.
class RawData : public LoadModel {
 public:
  void use(const LoadHistory& history) override { history_ = &history; }
  double load_s(ObjectIndex object, PhaseOffset when) const override;
  double communication(ObjectIndex, PhaseOffset) const override { return 0; }
  OffRankTraffic traffic(ObjectIndex object, PhaseOffset when) const override {
    return history_->traffic(object, when.is_past() ? -when.phases : 1);
  }
  std::size_t n_objects() const override { return history_->n_objects(); }
  std::size_t n_past_phases(ObjectIndex object) const override { return history_->n_phases(object); }
  std::uint32_t n_subphases(ObjectIndex object) const override { return history_->n_subphases(object); }
  std::optional<lbdata::WideInteger> collection(ObjectIndex object) const override {
    return history_->collection(object);
  }
  std::size_t past_phases_needed(std::size_t look_back = 0) const override { return look_back; }
  bool needs_traffic() const override { return false; }
  std::int64_t phases_in_one() const override { return 1; }
  std::string text(const LoadModel*) const override { return "RawData"; }

 private:
  const LoadHistory* history_ = nullptr;
};

/// Predicts the load of the last phase.
class NaivePersistence : public ComposedModel {
 public:
  explicit NaivePersistence(LoadModelPtr base) : ComposedModel(std::move(base), "NaivePersistence") {}
  double load_s(ObjectIndex object, PhaseOffset when) const override;
  double communication(ObjectIndex object, PhaseOffset when) const override;
  std::size_t past_phases_needed(std::size_t look_back = 0) const override {
    return base().past_phases_needed(std::max<std::size_t>(1, look_back));
  }
};

/// Predicts the median of the last n phases, or of all phases that contain the object if these are fewer.
class PersistenceMedianLastN : public ComposedModel {
 public:
  PersistenceMedianLastN(LoadModelPtr base, std::int64_t n);
  double load_s(ObjectIndex object, PhaseOffset when) const override;
  std::size_t past_phases_needed(std::size_t look_back = 0) const override {
    return base().past_phases_needed(std::max(n_, look_back));
  }

 private:
  std::size_t n_;
};

/// Predicts the load on the regression line through the last `length` phases, or through all phases that
/// contain the object if these are fewer. With a single phase it predicts the load of that phase.
class LinearModel : public ComposedModel {
 public:
  LinearModel(LoadModelPtr base, std::int64_t length);
  double load_s(ObjectIndex object, PhaseOffset when) const override;
  std::size_t past_phases_needed(std::size_t look_back = 0) const override {
    return base().past_phases_needed(std::max(length_, look_back));
  }

 private:
  std::size_t length_;
};

/// Predicts the sum of several consecutive phases, for placements that are kept that long.
class MultiplePhases : public ComposedModel {
 public:
  /// Requires at most 1000 phases, including those of underlying MultiplePhases.
  MultiplePhases(LoadModelPtr base, std::int64_t phases);
  double load_s(ObjectIndex object, PhaseOffset when) const override;
  std::int64_t phases_in_one() const override { return phases_ * base().phases_in_one(); }

 private:
  std::int64_t phases_;
};

/// Predicts the norm of the loads of the subphases. The higher the power, the more the longest subphase
/// counts. An object without subphases keeps its load.
class Norm : public ComposedModel {
 public:
  /// Accepts an infinite `power`; the norm is then the load of the longest subphase.
  Norm(LoadModelPtr base, double power);
  double load_s(ObjectIndex object, PhaseOffset when) const override;

 private:
  double power_;
};

/// Restricts each phase to the given subphases, in the given order. A subphase may be listed several times.
class SelectSubphases : public ComposedModel {
 public:
  SelectSubphases(LoadModelPtr base, std::vector<std::uint32_t> subphases);
  double load_s(ObjectIndex object, PhaseOffset when) const override;
  std::uint32_t n_subphases(ObjectIndex) const override {
    return static_cast<std::uint32_t>(subphases_.size());
  }

 private:
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
  CommOverhead(LoadModelPtr base, MessageWeights weights);
  double load_s(ObjectIndex object, PhaseOffset when) const override;
  bool needs_traffic() const override { return true; }

 private:
  MessageWeights weights_;
};

/// Uses the model of a collection for the objects of this collection, and the base model for other objects.
class PerCollection : public ComposedModel {
 public:
  /// Models by `collection_id`. They must be stacked on `base`, so that they see its objects.
  using Models = std::map<std::uint64_t, LoadModelPtr>;
  PerCollection(const LoadModelPtr& base, Models models);
  void use(const LoadHistory& history) override;
  double load_s(ObjectIndex object, PhaseOffset when) const override {
    return model_of(object).load_s(object, when);
  }
  double communication(ObjectIndex object, PhaseOffset when) const override {
    return model_of(object).communication(object, when);
  }
  std::uint32_t n_subphases(ObjectIndex object) const override {
    return model_of(object).n_subphases(object);
  }
  std::size_t past_phases_needed(std::size_t look_back = 0) const override;
  bool needs_traffic() const override;
  std::int64_t phases_in_one() const override;

 private:
  const LoadModel& model_of(ObjectIndex object) const;
  Models models_;
};

/// Defines the communication cost as the maximum of the costs to receive from and to send to other ranks in
/// SendRecv edges.
class WeightedMessages : public ComposedModel {
 public:
  WeightedMessages(LoadModelPtr base, MessageWeights weights);
  double communication(ObjectIndex object, PhaseOffset when) const override;
  bool needs_traffic() const override { return true; }

 private:
  MessageWeights weights_;
};

/// Predicts alpha * load + beta * communication cost + gamma.
class WeightedCommunicationVolume : public ComposedModel {
 public:
  /// Factors alpha of the load and beta of the communication cost, and the added time gamma in seconds.
  struct Weights {
    double alpha = 1;
    double beta = 0;
    double gamma = 0;
  };
  WeightedCommunicationVolume(LoadModelPtr base, Weights weights);
  double load_s(ObjectIndex object, PhaseOffset when) const override;

 private:
  Weights weights_;
};

/// Infers loads from features, e.g. numbers of particles, in `user_defined` of the tasks (LoadInference). The
/// time of a rank that its objects with features explain is the one that LoadRecorder::infer_loads() has
/// recorded. Otherwise it is the sum of the recorded loads of these objects or, if that is 0, the time of the
/// rank object outside of idle time and of other objects. Objects without all features keep their loads.
class Inferred : public ComposedModel {
 public:
  /// Without `features`, uses those of the recorded costs. Requires 1 to 1000 phases. Throws Error (usage)
  /// for invalid features.
  Inferred(LoadModelPtr base, std::vector<std::string> features, std::int64_t phases);
  /// Throws Error: usage if the history contains only one rank, or if no object of the last phase has the
  /// features; bad_input for a feature that is not a number >= 0.
  void use(const LoadHistory& history) override;
  double load_s(ObjectIndex object, PhaseOffset when) const override;
  std::size_t past_phases_needed(std::size_t look_back = 0) const override {
    return base().past_phases_needed(std::max(phases_, look_back));
  }

 private:
  std::vector<std::string> features_;
  std::size_t phases_;
  std::vector<std::optional<double>> loads_s_;  // by object; empty without features
};

/// Loads predicted for the next phase of an object that migrates, as sent to its new rank.
struct ShippedLoads {
  double whole_s = 0;                 ///< load of the whole phase in seconds
  std::vector<double> of_subphase_s;  ///< loads by subphase id; empty without subphases
};

/// Objects of one rank after a proposed migration: the objects of the underlying model without the departing
/// ones, followed by the arriving ones. Arriving objects only have loads of the next phase. This model can be
/// created in code only, not from text.
class ProposedReassignment : public ComposedModel {
 public:
  /// Returns the data that another rank needs if an object of `model` migrates there.
  static ShippedLoads ship(const LoadModel& model, ObjectIndex object);

  /// Requires that the base already has its history. Throws Error (usage) for a departing object that the
  /// base does not have.
  ProposedReassignment(LoadModelPtr base, const std::vector<ObjectIndex>& departing,
                       std::vector<ShippedLoads> arriving);
  double load_s(ObjectIndex object, PhaseOffset when) const override;
  double communication(ObjectIndex object, PhaseOffset when) const override {
    return stays(object) ? base().communication(staying_[object], when) : 0;
  }
  OffRankTraffic traffic(ObjectIndex object, PhaseOffset when) const override {
    return stays(object) ? base().traffic(staying_[object], when) : OffRankTraffic{};
  }
  std::size_t n_objects() const override { return staying_.size() + arriving_.size(); }
  std::size_t n_past_phases(ObjectIndex object) const override {
    return stays(object) ? base().n_past_phases(staying_[object]) : 0;
  }
  std::uint32_t n_subphases(ObjectIndex object) const override {
    return stays(object) ? base().n_subphases(staying_[object])
                         : static_cast<std::uint32_t>(arrived(object).of_subphase_s.size());
  }
  std::optional<lbdata::WideInteger> collection(ObjectIndex object) const override {
    return stays(object) ? base().collection(staying_[object]) : std::nullopt;
  }

 private:
  bool stays(ObjectIndex object) const { return object < staying_.size(); }
  const ShippedLoads& arrived(ObjectIndex object) const { return arriving_.at(object - staying_.size()); }

  std::vector<ObjectIndex> staying_;  // object indices in the base model
  std::vector<ShippedLoads> arriving_;
};

}  // namespace plimsoll::balance
