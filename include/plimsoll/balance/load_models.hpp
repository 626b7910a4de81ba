#pragma once

#include <map>
#include <vector>

#include <plimsoll/balance/load_model.hpp>
#include <plimsoll/balance/load_model_registry.hpp>

// The load models, under vt's names; docs/load-models.md has their formulas. Constructors throw Error (usage)
// for a value out of range.
namespace plimsoll::inline v0_1::balance {

/// What was measured. Throws Error (usage) when asked for a load of a phase that is not past.
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

/// The future is as the last phase.
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

/// The future is the median of the last n phases, or of those that know the object.
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

/// The future is on the least-squares line through the last phases, `length` or those that know the object;
/// of one phase alone it is that phase's load.
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

/// A future phase stands for several, one after the other: when objects are placed for so long.
class MultiplePhases : public ComposedModel {
 public:
  static LoadModelInfo info();
  /// Together with those below it, at most 1000 phases.
  MultiplePhases(LoadModelPtr base, std::int64_t phases);
  double load_s(ObjectIndex object, PhaseOffset when) const override;
  std::int64_t phases_in_one() const override { return phases_ * base().phases_in_one(); }

 private:
  std::string own_text() const override;
  std::int64_t phases_;
};

/// The load of a phase is the norm of those of its subphases: the higher the power, the more the longest
/// counts. An object without subphases has the load that it has.
class Norm : public ComposedModel {
 public:
  static LoadModelInfo info();
  /// `power` may be infinite: the longest subphase.
  Norm(LoadModelPtr base, double power);
  double load_s(ObjectIndex object, PhaseOffset when) const override;

 private:
  std::string own_text() const override;
  double power_;
};

/// The phase consists of these subphases of it, in this order; one may be there several times.
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

/// What each message, and each byte of it, costs; 0 or more.
struct MessageWeights {
  double per_message = 0;  ///< seconds
  double per_byte = 0;     ///< seconds
  double of(const MessageVolume& volume) const {
    return per_message * static_cast<double>(volume.messages) + per_byte * volume.bytes;
  }
};

/// An object's load is more by what receiving from other ranks costs, in seconds.
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

/// The objects of a collection have the model of the collection; others that of the base.
class PerCollection : public ComposedModel {
 public:
  static LoadModelInfo info();
  /// By `collection_id`. The models must stand on `base`, so that they see its objects.
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

/// Communication costs what the object gets from, or sends to, other ranks in SendRecv edges, whichever is
/// more.
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

/// The load is alpha load + beta communication + gamma.
class WeightedCommunicationVolume : public ComposedModel {
 public:
  static LoadModelInfo info();
  /// The factors of load and communication, and what is added to them in seconds.
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

/// Loads of an object in one phase, as one rank tells another that shall have it.
struct ShippedLoads {
  double whole_s = 0;                 ///< seconds
  std::vector<double> of_subphase_s;  ///< by subphase id; empty without subphases
};
/// An object that arrives with a migration, with the loads that travel with it.
struct ShippedObject {
  ShippedLoads modelled;  ///< for the next phase
  ShippedLoads raw;       ///< as measured in the last phase
};

/// The objects of a rank as they would be after a migration: those of the model below without the departing
/// ones, then the arriving ones, of which only the next phase is known. For code: it cannot be made of text.
class ProposedReassignment : public ComposedModel {
 public:
  /// What another rank has to know of an object of `model` that goes there.
  static ShippedObject ship(const LoadModel& model, ObjectIndex object);

  /// The base has its history already. Throws Error (usage) for a departing object that it does not have.
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
  std::vector<ObjectIndex> staying_;  // their numbers below
  std::vector<ShippedObject> arriving_;
};

}  // namespace plimsoll::balance
